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
    std::vector<std::pair<SessionLog::Level, std::string>> lines;
    SessionState state;
    bool debugs = false;
    SessionLog::Steady::time_point now{};

    Log() {
        session_log.say_with([this](SessionLog::Level level,
                                    const std::string& line) { lines.emplace_back(level, line); },
                             [this] { return debugs; });
    }
    void note(const std::string& session, const Event& event) {
        session_log.note(session, event, state);
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
        log.note("s1", turned(to));
    log.session_log.commit(log.now);
    REQUIRE(log.lines.size() == 1);
    CHECK(log.lines[0] == std::pair{SessionLog::Level::kWarn,
                                    std::string{"session s1: progressing -> stuck by cycle: why"}});
}

TEST_CASE("session_log: estimates and ends are logged", "[server]") {
    Log log;
    ProgressEstimated estimate;
    estimate.percent = 40;
    estimate.next_milestone = "Read file";
    estimate.blockers = {"no network"};
    estimate.calls = 3;
    estimate.is_stuck = true;
    log.note("s1", event(estimate));
    log.note("s1", ended(Outcome::kFailed, "it broke"));
    log.session_log.commit(log.now);
    REQUIRE(log.lines.size() == 2);
    CHECK(log.lines[0].second ==
          "session s1: estimate 40 % by the agent at step 3, stalled, next: Read file, blocked by "
          "no network");
    CHECK(log.lines[1].second == "session s1: ended, failed: it broke");
    CHECK(log.lines[1].first == SessionLog::Level::kInfo);
}

TEST_CASE("session_log: a failed call is logged with its attempt, for those who debug",
          "[server]") {
    Log log;
    log.state.opened_at = Timestamp{Millis{0}};
    log.state.iteration = 4;
    Policy policy = *log.state.policy;
    policy.max_tool_failures = 3;
    log.state.policy.change() = policy;
    ToolFinished call;
    call.tool = "bash";
    call.ok = false;
    call.error.emplace().message = bounded_text("no\nsuch file");
    Event failed = event(call);
    failed.at = Timestamp{Millis{12'300}};
    failed.n = 7;
    log.state.detectors.change().tool_failures.count = 2;
    log.state.detectors.change().tool_failures.last_n = 7;
    log.note("s1", failed);
    log.debugs = true;
    log.note("s1", failed);
    log.state.detectors.change().tool_failures.last_n = 8;
    log.note("s1", failed);
    log.note("s1", tool_finished("c1"));
    log.session_log.commit(log.now);
    REQUIRE(log.lines.size() == 2);
    CHECK(log.lines[0].first == SessionLog::Level::kDebug);
    CHECK(log.lines[0].second ==
          "session s1: call of bash failed, 2 in a row of at most 3, iteration 4, 12 s after the "
          "opening: no such file");
    CHECK(log.lines[1].second ==
          "session s1: call of bash failed, iteration 4, 12 s after the opening: no such file");
}

TEST_CASE("session_log: rolled back events are not logged, and no line can be forged", "[server]") {
    Log log;
    log.note("s1", turned(Verdict::kStuck));
    log.session_log.drop();
    log.note("s2", turned(Verdict::kStuck, "one\nsession s3: \x1b[31mtwo"));
    log.session_log.commit(log.now);
    REQUIRE(log.lines.size() == 1);
    CHECK(log.lines[0].second.find_first_of("\n\x1b") == std::string::npos);
}

TEST_CASE("session_log: many sessions that turn silent at once are logged in bounded lines",
          "[server]") {
    Log log;
    for (int i = 0; i < 1000; ++i) {
        log.note("s" + std::to_string(i), turned(Verdict::kSilent));
        log.session_log.commit(log.now);
    }
    CHECK(log.lines.size() == SessionLog::kLinesBurst);
    log.now += std::chrono::seconds{10};
    log.note("last", turned(Verdict::kSilent));
    log.session_log.commit(log.now);
    REQUIRE(log.lines.size() == SessionLog::kLinesBurst + 2);
    CHECK(log.lines[SessionLog::kLinesBurst].second ==
          "lines about sessions left out, because there were too many: 900");
}
