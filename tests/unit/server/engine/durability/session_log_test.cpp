// SPDX-License-Identifier: Apache-2.0
#include "server/engine/durability/session_log.hpp"

#include <catch2/catch.hpp>

#include "tests/support/make.hpp"

using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;

namespace {

struct Log {
    SessionLog session_log;
    std::vector<std::pair<bool, std::string>> lines;
    SessionLog::Steady::time_point now{};

    Log() {
        session_log.say_with(
            [this](bool warns, const std::string& line) { lines.emplace_back(warns, line); });
    }
};

Event turned(Verdict to, std::string reason = "why") {
    VerdictChanged change;
    change.from = Verdict::kProgressing;
    change.to = to;
    change.reason = std::move(reason);
    change.detector = "cycle";
    return event(std::move(change));
}

}  // namespace

TEST_CASE("session_log: verdicts that need attention are warnings, others are not logged",
          "[server]") {
    Log log;
    for (const Verdict to : {Verdict::kStuck, Verdict::kSlow, Verdict::kProgressing})
        log.session_log.note("s1", turned(to));
    log.session_log.commit(log.now);
    REQUIRE(log.lines.size() == 1);
    CHECK(log.lines[0] ==
          std::pair<bool, std::string>{true, "session s1: progressing -> stuck by cycle: why"});
}

TEST_CASE("session_log: estimates and ends are logged", "[server]") {
    Log log;
    ProgressEstimated said;
    said.percent = 40;
    said.next_milestone = "Read file";
    said.blockers = {"no network"};
    log.session_log.note("s1", event(said));
    log.session_log.note("s1", ended(Outcome::kFailed, "it broke"));
    log.session_log.commit(log.now);
    REQUIRE(log.lines.size() == 2);
    CHECK(log.lines[0].second ==
          "session s1: estimate 40 % by the agent, next: Read file, blocked by no network");
    CHECK(log.lines[1].second == "session s1: ended, failed: it broke");
    CHECK_FALSE(log.lines[1].first);
}

TEST_CASE("session_log: rolled back events are not logged, and no line can be forged", "[server]") {
    Log log;
    log.session_log.note("s1", turned(Verdict::kStuck));
    log.session_log.drop();
    log.session_log.note("s2", turned(Verdict::kStuck, "one\nsession s3: \x1b[31mtwo"));
    log.session_log.commit(log.now);
    REQUIRE(log.lines.size() == 1);
    CHECK(log.lines[0].second.find_first_of("\n\x1b") == std::string::npos);
}

TEST_CASE("session_log: many sessions that turn silent at once are logged in bounded lines",
          "[server]") {
    Log log;
    for (int i = 0; i < 1000; ++i) {
        log.session_log.note("s" + std::to_string(i), turned(Verdict::kSilent));
        log.session_log.commit(log.now);
    }
    CHECK(log.lines.size() == SessionLog::kLinesBurst);
    log.now += std::chrono::seconds{10};
    log.session_log.note("last", turned(Verdict::kSilent));
    log.session_log.commit(log.now);
    REQUIRE(log.lines.size() == SessionLog::kLinesBurst + 2);
    CHECK(log.lines[SessionLog::kLinesBurst].second ==
          "lines about sessions left out, because there were too many: 900");
}
