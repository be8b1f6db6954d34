// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/heartbeat_rule.hpp"

#include <catch2/catch.hpp>

#include "core/detectors/detectors.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

/// The rule fed with a session's events, numbered in order.
struct Watched {
    HeartbeatRule rule;
    Ledger ledger;
    std::uint64_t n = 0;

    void see(Event one, bool in_flight = false, bool phase_changed = false, bool moved = false) {
        one.n = ++n;
        Observation seen{{}, one, ledger};
        seen.call_in_flight = in_flight;
        seen.phase_changed = seen.phase_turned = phase_changed;
        seen.work_moved = moved;
        seen.state_change = !change_name(type_of(one.payload)).empty();
        const auto* message = std::get_if<Message>(&one.payload);
        seen.user_message = message != nullptr && message->role == "user";
        rule.observe(seen);
    }
    void beats(int count, bool in_flight = false) {
        for (int i = 0; i < count; ++i)
            see(beat(), in_flight);
    }
    void iterations(int count) {
        for (int i = 0; i < count; ++i) {
            Heartbeat data;
            data.iteration = n + 1;
            see(event(data));
        }
    }
    Severity severity(Profile profile = Profile::kBalanced) const {
        Policy policy;
        policy.profile = profile;
        return severity(policy);
    }
    Severity severity(const Policy& policy) const {
        return rule.severity(thresholds_of(policy, kIdOf<HeartbeatRule>), ledger);
    }
};

}  // namespace

TEST_CASE("heartbeat rule: four quiet beats claim nothing", "[core]") {
    Watched watch;
    watch.beats(4);
    CHECK(watch.severity() == Severity::kNone);
    CHECK(watch.severity(Profile::kStrict) == Severity::kNone);
}

TEST_CASE("heartbeat rule: five quiet beats are suspect under balanced and stuck under strict",
          "[core]") {
    Watched watch;
    watch.beats(5);
    CHECK(watch.severity() == Severity::kSuspect);
    CHECK(watch.severity(Profile::kStrict) == Severity::kStuck);
}

TEST_CASE("heartbeat rule: five beats with a call in flight that stands still are slow only",
          "[core]") {
    Watched watch;
    watch.beats(50, true);
    CHECK(watch.severity() == Severity::kSlow);
    CHECK(watch.severity(Profile::kStrict) == Severity::kSlow);
}

TEST_CASE("heartbeat rule: the end of a call starts the count of quiet beats from zero", "[core]") {
    Watched watch;
    watch.beats(4, true);
    watch.beats(4, false);
    CHECK(watch.severity() == Severity::kNone);
    watch.beats(1, false);
    CHECK(watch.severity() == Severity::kSuspect);
    watch.beats(5, true);
    CHECK(watch.severity() == Severity::kSlow);
    watch.beats(1, false);  // work in between does not reset the quiet beats
    CHECK(watch.severity() == Severity::kSuspect);
}

TEST_CASE("heartbeat rule: the limit of the policy counts", "[core]") {
    Watched watch;
    watch.beats(2);
    Policy policy;
    policy.heartbeat_limit = 2;
    CHECK(watch.severity(policy) == Severity::kSuspect);
    policy.heartbeat_limit = 3;
    CHECK(watch.severity(policy) == Severity::kNone);
}

TEST_CASE("heartbeat rule: what restarts the count and what does not", "[core]") {
    struct Case {
        const char* name;
        Event event;
        bool phase_changed;
        bool moved;
        bool restarts;
    };
    Heartbeat iteration;
    iteration.iteration = 7;
    const Case cases[] = {
        {"a finished tool", tool_finished("c"), false, false, true},
        {"a started tool", tool_started("c"), false, false, true},
        {"a new phase", phase_started("test"), false, false, true},
        {"a beat in another phase", beat_in_phase("test"), true, false, true},
        {"a beat whose counter moved", beat_in_flight("c", 2), false, true, true},
        {"a message of the user", message("user"), false, false, true},
        {"a message of the assistant", message("assistant"), false, false, false},
        {"a beat with another iteration", event(iteration), false, false, false},
        {"an estimate", event(ProgressEstimated{}), false, false, false},
        {"an error", event(ErrorReported{}), false, false, false},
        {"a compaction", event(Compacted{}), false, false, false},
        {"a verdict", event(VerdictChanged{}), false, false, false},
        {"a directive", event(DirectiveIssued{}), false, false, false},
        {"an acknowledgement", acknowledged("d1"), false, false, false},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.name) {
            Watched watch;
            watch.beats(4);
            watch.see(c.event, false, c.phase_changed, c.moved);
            watch.beats(1);
            CHECK((watch.severity() == Severity::kNone) == c.restarts);
        }
    }
}

TEST_CASE("heartbeat rule: the evidence is the first and the last beat of the row", "[core]") {
    Watched watch;
    watch.see(tool_finished("c"));
    watch.beats(7);
    const Finding found = watch.rule.finding(watch.ledger);
    CHECK(found.evidence == std::vector<std::uint64_t>{2, 8});
    CHECK(found.count == 7);
    CHECK(found.reason == "7 heartbeats without a state change since #1 and no call in flight");
}

TEST_CASE("heartbeat rule: before any change the reason names the start", "[core]") {
    Watched watch;
    watch.beats(5);
    CHECK(watch.rule.finding(watch.ledger).reason ==
          "5 heartbeats without a state change since the start and no call in flight");
}

TEST_CASE("heartbeat rule: twenty quiet beats are stuck when the agent counts iterations",
          "[core]") {
    Watched turning;
    turning.iterations(19);
    CHECK(turning.severity() == Severity::kSuspect);
    turning.iterations(1);
    CHECK(turning.severity() == Severity::kStuck);
    Watched standing;
    standing.beats(100);
    CHECK(standing.severity() == Severity::kSuspect);
}

namespace {

Event beat_in(std::string phase, std::optional<std::uint64_t> iteration = {}) {
    Heartbeat data;
    data.phase = std::move(phase);
    data.iteration = iteration;
    return event(std::move(data));
}

}  // namespace

TEST_CASE("heartbeat rule: a loop of reflection and execution is found", "[core]") {
    // Alternating reflection and execution, with nothing done in either.
    for (const bool counts : {false, true}) {
        Policy strict;
        strict.profile = Profile::kStrict;
        Story balanced;
        Story literal{strict};
        for (std::uint64_t i = 0; i < 12; ++i) {
            const Event one = beat_in(i % 2 == 0 ? "reflection" : "execution",
                                      counts ? std::optional{i / 2} : std::nullopt);
            balanced.report(one, static_cast<std::int64_t>(10 + i));
            literal.report(one, static_cast<std::int64_t>(10 + i));
        }
        CHECK(balanced.verdict() == Verdict::kSuspect);
        CHECK(literal.verdict() == Verdict::kStuck);
    }
}

TEST_CASE("heartbeat rule: new phases postpone it only eight times", "[core]") {
    Story story;
    for (int i = 0; i < 30; ++i)
        story.report(beat_in("phase " + std::to_string(i)), 10 + i);
    CHECK(story.verdict() == Verdict::kSuspect);
}

TEST_CASE("heartbeat rule: a slow model is slow, and strict does not stop it", "[core]") {
    Policy strict;
    strict.profile = Profile::kStrict;
    for (const bool by_phase : {false, true}) {
        for (const Policy& policy : {Policy{}, strict}) {
            Story story{policy};
            if (by_phase) {
                story.report(beat_in("execution", 3), 1);
                story.report(beat_in("reflection", 3), 2);
            } else {
                story.report(message("user"), 1);
                story.report(beat_in("", 1), 2);
            }
            for (int i = 0; i < 100; ++i) {
                story.report(beat_in(by_phase ? "reflection" : "", by_phase ? 3 : 1), 10 + i);
                REQUIRE(story.verdict() != Verdict::kSuspect);
                REQUIRE(story.verdict() != Verdict::kStuck);
            }
            CHECK(story.verdict() == Verdict::kSlow);
            CHECK(story.session.state().directives.empty());
            CHECK(
                story.session.state().judgement->reason.starts_with("the model has been at work"));
        }
    }
}

TEST_CASE("heartbeat rule: an agent that counts iterations in its reflection is no slow model",
          "[core]") {
    Story story;
    for (std::uint64_t i = 1; i <= 21; ++i)
        story.report(beat_in("reflection", i), static_cast<std::int64_t>(10 + i));
    CHECK(story.verdict() == Verdict::kStuck);
}

TEST_CASE("heartbeat rule: a call that is named occasionally hides nothing", "[core]") {
    Story story;
    for (int i = 0; i < 12; ++i)
        story.report(i % 2 == 0 ? beat() : beat_in_flight("c1", 7), 10 + i);
    CHECK(story.verdict() == Verdict::kSuspect);
}
