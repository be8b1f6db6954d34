// SPDX-License-Identifier: Apache-2.0
#include "server/engine/durability/chronicle.hpp"

#include <catch2/catch.hpp>

#include "tests/support/make.hpp"

using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;

namespace {

struct Log {
    Chronicle chronicle;
    std::vector<std::pair<bool, std::string>> lines;
    Chronicle::Steady::time_point now{};

    Log() {
        chronicle.say_with(
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

TEST_CASE("chronicle: verdicts that need attention are warnings, others are not logged",
          "[server]") {
    Log log;
    for (const Verdict to : {Verdict::kStuck, Verdict::kSlow, Verdict::kProgressing})
        log.chronicle.note("s1", turned(to));
    log.chronicle.commit(log.now);
    REQUIRE(log.lines.size() == 1);
    CHECK(log.lines[0] ==
          std::pair<bool, std::string>{true, "session s1: progressing -> stuck by cycle: why"});
}

TEST_CASE("chronicle: estimates and ends are logged", "[server]") {
    Log log;
    ProgressEstimated said;
    said.percent = 40;
    said.next_milestone = "Read file";
    said.blockers = {"no network"};
    log.chronicle.note("s1", event(said));
    log.chronicle.note("s1", ended(Outcome::kFailed, "it broke"));
    log.chronicle.commit(log.now);
    REQUIRE(log.lines.size() == 2);
    CHECK(log.lines[0].second ==
          "session s1: estimate 40 % by the agent, next: Read file, blocked by no network");
    CHECK(log.lines[1].second == "session s1: ended, failed: it broke");
    CHECK_FALSE(log.lines[1].first);
}

TEST_CASE("chronicle: rolled back events are not logged, and no line can be forged", "[server]") {
    Log log;
    log.chronicle.note("s1", turned(Verdict::kStuck));
    log.chronicle.drop();
    log.chronicle.note("s2", turned(Verdict::kStuck, "one\nsession s3: \x1b[31mtwo"));
    log.chronicle.commit(log.now);
    REQUIRE(log.lines.size() == 1);
    CHECK(log.lines[0].second.find_first_of("\n\x1b") == std::string::npos);
}

TEST_CASE("chronicle: many sessions that turn silent at once are logged in bounded lines",
          "[server]") {
    Log log;
    for (int i = 0; i < 1000; ++i) {
        log.chronicle.note("s" + std::to_string(i), turned(Verdict::kSilent));
        log.chronicle.commit(log.now);
    }
    CHECK(log.lines.size() == Chronicle::kLinesBurst);
    log.now += std::chrono::seconds{10};
    log.chronicle.note("last", turned(Verdict::kSilent));
    log.chronicle.commit(log.now);
    REQUIRE(log.lines.size() == Chronicle::kLinesBurst + 2);
    CHECK(log.lines[Chronicle::kLinesBurst].second ==
          "lines about sessions left out, because there were too many: 900");
}
