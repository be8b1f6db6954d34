// SPDX-License-Identifier: Apache-2.0
#include "core/state/legacy_comparison.hpp"

#include <catch2/catch.hpp>

#include "core/session/session.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

using std::chrono::seconds;

constexpr Timestamp kLegacyStart{Millis{1'000'000}};

/// A session under a session timer of 300 s and a tool timer of 60 s.
struct Timed {
    explicit Timed(LegacyMode mode, bool fallback = false) {
        Policy policy;
        policy.legacy.mode = mode;
        policy.legacy.fallback = fallback;
        session.open({}, policy, at(seconds{0}), out);
    }

    static Context at(Millis after) {
        Context context;
        context.now = kLegacyStart + after;
        context.watch = kLegacyStart;
        return context;
    }

    template <class P>
    void report(P payload, Millis after) {
        std::vector<Event> events(1);
        events.front().payload = std::move(payload);
        session.report(events, at(after), out);
    }

    const SessionState& state() const { return session.state(); }

    Session session{"timed"};
    std::vector<Event> out;
};

ToolFinished call(const char* result) {
    ToolFinished finished;
    finished.tool = "bash";
    finished.args.kept = std::string{"{\"command\":\""} + result + "\"}";
    finished.result.kept = std::string{"\""} + result + "\"";
    return finished;
}

}  // namespace

TEST_CASE("legacy timeouts: observed, a timer only records when it would have killed", "[core]") {
    Timed timed{LegacyMode::kObserve};
    timed.report(call("a"), seconds{299});
    CHECK(timed.state().legacy_kills.empty());
    timed.report(call("b"), seconds{400});
    REQUIRE(timed.state().legacy_kills.size() == 1);
    const LegacyKill& kill = timed.state().legacy_kills.front();
    CHECK(kill.timer == "session");
    CHECK(kill.at == kLegacyStart + seconds{300});
    CHECK(kill.verdict != Verdict::kStarting);
    CHECK_FALSE(timed.state().ended());

    SessionEnded end;
    timed.report(end, seconds{500});
    const Comparison comparison = compare(timed.state(), kLegacyStart + seconds{900});
    CHECK(comparison.saved);
    CHECK(comparison.ran == seconds{500});
    CHECK(comparison.summary.find("completed") != std::string::npos);
}

TEST_CASE("legacy timeouts: off, nothing is recorded", "[core]") {
    Timed timed{LegacyMode::kOff};
    timed.report(call("a"), seconds{4000});
    CHECK(timed.state().legacy_kills.empty());
    CHECK(compare(timed.state(), kLegacyStart + seconds{5000}).kills.empty());
    CHECK(legacy_end(timed.state(), kLegacyStart) == kNever);
}

TEST_CASE("legacy timeouts: a long call would have been cut at the tool's timer", "[core]") {
    Timed timed{LegacyMode::kObserve};
    ToolStarted started;
    started.call_id = "c";
    started.tool = "pytest";
    timed.report(started, seconds{10});
    timed.report(Heartbeat{}, seconds{69});
    CHECK(timed.state().legacy_kills.empty());
    CHECK(compare(timed.state(), kLegacyStart + seconds{70}).kills.size() == 1);
    ToolFinished finished = call("ok");
    finished.call_id = "c";
    timed.report(finished, seconds{100});
    REQUIRE(timed.state().legacy_kills.size() == 1);
    CHECK(timed.state().legacy_kills[0].timer == "tool");
    CHECK(timed.state().legacy_kills[0].tool == "pytest");
    CHECK(timed.state().legacy_kills[0].at == kLegacyStart + seconds{70});
}

TEST_CASE("legacy timeouts: in force, the session's timer ends it as failed", "[core]") {
    Timed timed{LegacyMode::kEnforce};
    timed.report(call("a"), seconds{290});
    CHECK(timed.session.next_deadline(kLegacyStart) <= kLegacyStart + seconds{300});
    timed.session.tick(Timed::at(seconds{299}), timed.out);
    CHECK_FALSE(timed.state().ended());
    timed.session.tick(Timed::at(seconds{300}), timed.out);
    REQUIRE(timed.state().ended());
    CHECK(*timed.state().outcome == Outcome::kFailed);
    CHECK(timed.state().end_code == "legacy_timeout");
    CHECK(timed.session.next_deadline(kLegacyStart) == kNever);
}

TEST_CASE("legacy timeouts: in force, a restart gives the agent two intervals to report",
          "[core]") {
    Timed timed{LegacyMode::kEnforce};
    const Timestamp back = kLegacyStart + seconds{1000};
    CHECK(legacy_end(timed.state(), back) == back + 2 * timed.state().asked_interval);
}

TEST_CASE("legacy timeouts: as a fallback only a silent session is ended by its timer", "[core]") {
    Timed heard{LegacyMode::kObserve, true};
    heard.report(call("a"), seconds{299});
    heard.session.tick(Timed::at(seconds{301}), heard.out);
    CHECK_FALSE(heard.state().ended());

    Timed silent{LegacyMode::kObserve, true};
    silent.session.tick(Timed::at(seconds{100}), silent.out);
    CHECK(silent.state().judgement->verdict == Verdict::kSilent);
    CHECK(silent.session.next_deadline(kLegacyStart) == kLegacyStart + seconds{300});
    silent.session.tick(Timed::at(seconds{300}), silent.out);
    CHECK(silent.state().end_code == "legacy_timeout");
}
