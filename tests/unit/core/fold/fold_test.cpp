// SPDX-License-Identifier: Apache-2.0
#include "core/fold/fold.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

/// A state and the events that make it.
struct Folding {
    SessionState state;

    Folding() { add(event(SessionStarted{})); }
    void add(Event one) {
        one.n = state.n + 1;
        one.at = at(static_cast<std::int64_t>(one.n) * 1000);
        apply(state, one);
    }
};

}  // namespace

TEST_CASE("fold: a started call is in flight until it finishes", "[core]") {
    Folding f;
    f.add(tool_started("a", "bash"));
    f.add(tool_started("b", "edit"));
    CHECK(f.state.call_in_flight());
    REQUIRE(f.state.open_calls.size() == 2);
    CHECK(f.state.open_calls[0] == OpenCall{"a", "bash", at(2000)});
    f.add(tool_finished("a"));
    REQUIRE(f.state.open_calls.size() == 1);
    CHECK(f.state.open_calls[0].call_id == "b");
    f.add(tool_finished("b", false));
    CHECK_FALSE(f.state.call_in_flight());
    CHECK(f.state.tool_calls == 2);
    CHECK(f.state.tool_failures == 1);
}

TEST_CASE("fold: the same call started again is one call", "[core]") {
    Folding f;
    f.add(tool_started("a"));
    f.add(tool_started("a"));
    REQUIRE(f.state.open_calls.size() == 1);
    CHECK(f.state.open_calls[0].since == at(3000));
}

TEST_CASE("fold: beyond the maximum of open calls the oldest is dropped", "[core]") {
    Folding f;
    for (std::size_t i = 0; i <= limits::kInFlightMax; ++i)
        f.add(tool_started("c" + std::to_string(i)));
    CHECK(f.state.open_calls.size() == limits::kInFlightMax);
    CHECK(f.state.open_calls.front().call_id == "c1");
}

TEST_CASE("fold: a heartbeat opens and closes the call that it names", "[core]") {
    Folding f;
    f.add(beat_in_flight("a", 1));
    CHECK(f.state.call_in_flight());
    f.add(beat());
    CHECK_FALSE(f.state.call_in_flight());
}

TEST_CASE("fold: a moved counter in a heartbeat counts as work", "[core]") {
    Folding f;
    f.add(beat_in_flight("a", 1));
    f.add(beat_in_flight("a", 1));
    CHECK(f.state.work_moves == 0);
    f.add(beat_in_flight("a", 9));
    CHECK(f.state.work_moves == 1);
}

TEST_CASE("fold: a finished tool ends the call that only heartbeats named", "[core]") {
    Folding f;
    f.add(beat_in_flight("unnamed", 1));
    f.add(tool_finished(""));
    CHECK_FALSE(f.state.call_in_flight());
}

TEST_CASE("fold: a higher attempt takes over and drops calls in flight", "[core]") {
    Folding f;
    f.add(with_attempt(tool_started("a"), 1));
    CHECK(f.state.attempt == 1);
    f.add(with_attempt(beat(), 2));
    CHECK(f.state.attempt == 2);
    CHECK_FALSE(f.state.call_in_flight());
}

TEST_CASE("fold: the same or no attempt keeps calls in flight", "[core]") {
    Folding f;
    f.add(with_attempt(tool_started("a"), 3));
    f.add(with_attempt(beat(), 3));
    f.add(beat());
    CHECK(f.state.attempt == 3);
    CHECK(f.state.open_calls.size() == 1);
}

TEST_CASE("fold: phases come from phase.started and from beats", "[core]") {
    Folding f;
    f.add(phase_started("plan"));
    CHECK(f.state.phase == "plan");
    f.add(beat_in_phase("execute"));
    CHECK(f.state.phase == "execute");
    f.add(beat());
    CHECK(f.state.phase == "execute");
}

TEST_CASE("fold: only the types with a change name are state changes", "[core]") {
    for (std::size_t i = 0; i < EnumNames<EventType>::kNames.size(); ++i) {
        const auto type = static_cast<EventType>(i);
        DYNAMIC_SECTION(name_of(type)) {
            Folding f;
            Event one;
            one.payload = *make_payload(type);
            f.add(one);
            const bool changes = !change_name(type).empty();
            CHECK(f.state.state_changes == (changes ? 1 : 0));
            CHECK(f.state.last_change == (changes ? std::optional{type} : std::nullopt));
            CHECK(f.state.last_change_n == (changes ? 2 : 0));
        }
    }
}

TEST_CASE("fold: only what the agent sends counts as a beat", "[core]") {
    Folding f;
    f.add(message("user"));
    const Timestamp heard = f.state.last_beat_at;
    f.add(event(VerdictChanged{}));
    f.add(event(DirectiveIssued{}));
    f.add(event(CancelRequested{}));
    CHECK(heard == at(2000));
    CHECK(f.state.last_beat_at == heard);
}

TEST_CASE("fold: directives stay until acknowledged and are bounded", "[core]") {
    Folding f;
    for (std::size_t i = 0; i <= limits::kDirectivesMax; ++i) {
        DirectiveIssued directive;
        directive.id = "d" + std::to_string(i);
        f.add(event(directive));
    }
    CHECK(f.state.directives.size() == limits::kDirectivesMax);
    CHECK(f.state.directives.front().id == "d1");
    f.add(acknowledged("d1"));
    f.add(acknowledged("never issued"));
    CHECK(f.state.directives.size() == limits::kDirectivesMax - 1);
    CHECK(f.state.directives.front().id == "d2");
}

TEST_CASE("fold: advice that an agent causes moves out no directive of a person", "[core]") {
    Folding f;
    const auto add = [&f](std::string id, std::string by) {
        DirectiveIssued directive;
        directive.id = std::move(id);
        directive.kind = DirectiveKind::kChangeApproach;
        directive.by = std::move(by);
        f.add(event(directive));
    };
    add("of a person", "ada");
    for (std::size_t i = 0; i < 2 * limits::kDirectivesMax; ++i)
        add("expired " + std::to_string(i), "policy");
    CHECK(f.state.directives.size() == limits::kDirectivesMax);
    CHECK(f.state.directives.front().id == "of a person");
}

TEST_CASE("fold: the end clears what can never finish", "[core]") {
    Folding f;
    f.add(tool_started("a"));
    f.add(event(DirectiveIssued{}));
    f.add(ended(Outcome::kFailed, "disk full"));
    CHECK(f.state.ended());
    CHECK(f.state.outcome == Outcome::kFailed);
    CHECK(f.state.ended_at == at(4000));
    CHECK(f.state.end_reason == "disk full");
    CHECK_FALSE(f.state.call_in_flight());
    CHECK(f.state.directives.empty());
}

// The cut text is in the verdict, and so in the JSON of every reply.
TEST_CASE("fold: a long reason of the end is cut between characters", "[core]") {
    Folding f;
    f.add(ended(Outcome::kFailed, std::string(511, 'a') + "\xC3\xA4 and more"));
    CHECK(f.state.end_reason == std::string(511, 'a'));
}

TEST_CASE("fold: an asked interval holds from its event on", "[core]") {
    Folding f;
    CHECK(f.state.asked_interval == Millis{10'000});
    Event one = beat();
    one.next_heartbeat_ms = 5'000;
    f.add(one);
    f.add(beat());
    CHECK(f.state.asked_interval == Millis{5'000});
}

TEST_CASE("fold: reached remembers the last event of each verdict", "[core]") {
    Folding f;
    CHECK(f.state.reached[static_cast<std::size_t>(Verdict::kStarting)] == 1);
    VerdictChanged change;
    change.to = Verdict::kSuspect;
    f.add(event(change));
    f.add(event(change));
    CHECK(f.state.reached[static_cast<std::size_t>(Verdict::kSuspect)] == 3);
    CHECK(f.state.reached[static_cast<std::size_t>(Verdict::kStuck)] == 0);
}

TEST_CASE("fold: overrides replace the defaults they name", "[core]") {
    Policy defaults;
    defaults.heartbeat_limit = 9;
    PolicyOverride overrides;
    overrides.profile = Profile::kStrict;
    overrides.heartbeat_interval_ms = 250;
    const Policy policy = effective_policy(overrides, defaults);
    Policy expected;
    expected.profile = Profile::kStrict;
    expected.heartbeat_interval = Millis{250};
    expected.heartbeat_limit = 9;
    CHECK(policy == expected);
}

TEST_CASE("fold: each modified path is counted once, however many there are", "[core]") {
    Folding f;
    const auto edit = [&f](std::size_t path, std::size_t round) {
        ToolFinished call;
        call.tool = "edit";
        call.target = std::to_string(path) + "/" + std::to_string(round);
        call.mutated.push_back({"file " + std::to_string(path), std::to_string(round)});
        f.add(event(std::move(call)));
    };
    constexpr std::size_t kPaths = 3 * limits::kFilesMax;
    for (std::size_t round = 0; round < 3; ++round) {
        for (std::size_t path = 0; path < kPaths; ++path)
            edit(path, round);
        CHECK(f.state.files_modified == kPaths);
    }
    for (std::size_t path = kPaths; path < limits::kPathsSeenMax + 100; ++path)
        edit(path, 0);
    CHECK(f.state.files_modified <= limits::kPathsSeenMax);  // bounded, and never too high
    CHECK(f.state.files_modified + 8 >= limits::kPathsSeenMax);
}

TEST_CASE("fold: the current phase ends with its session, not completed", "[core]") {
    Folding f;
    f.add(phase_started("build"));
    CHECK(f.state.current_phase->ended_at == kNever);
    f.add(ended(Outcome::kCompleted));
    CHECK(f.state.current_phase->name == "build");
    CHECK(f.state.current_phase->ended_at == f.state.ended_at);
    CHECK(f.state.phase_totals.completed == 0);
}

TEST_CASE("fold: a round number that stands still does not hide repeats", "[core]") {
    Story story;
    for (int i = 0; i < 100 && story.verdict() != Verdict::kStuck; ++i) {
        ToolFinished call;
        call.tool = "search";
        call.round = 1;
        call.result.kept = "\"the same answer\"";
        story.report(event(call), 10 + i);
    }
    CHECK(story.verdict() == Verdict::kStuck);
    Story many;  // and steps are counted
    for (int i = 0; i < 1000; ++i) {
        ToolFinished call;
        call.tool = "search";
        call.round = 1;
        call.target = std::to_string(i);
        many.report(event(call), 10 + i);
    }
    CHECK(many.session.state().ledger->rounds >= 1000 / limits::kRoundCallsMax);
}

TEST_CASE("fold: a phase that returns resets nothing", "[core]") {
    Folding f;
    const auto failing = [&f](int i) {
        ToolFinished call;
        call.tool = "bash";
        call.ok = false;
        call.target = std::to_string(i);
        f.add(event(std::move(call)));
    };
    f.add(phase_started("one"));
    failing(0);
    f.add(phase_started("two"));
    CHECK(f.state.detectors->tool_failures.count == 0);
    for (int i = 1; i <= 6; ++i) {
        failing(i);
        f.add(beat_in_phase(i % 2 == 0 ? "two" : "one"));
    }
    CHECK(f.state.detectors->tool_failures.count == 6);
    f.add(tool_finished("done"));  // hard progress: phases are new again
    failing(9);
    CHECK(f.state.detectors->tool_failures.count == 1);
    f.add(beat_in_phase("one"));
    CHECK(f.state.detectors->tool_failures.count == 0);
}
