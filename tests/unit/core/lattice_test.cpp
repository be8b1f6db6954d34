#include "core/lattice.hpp"

#include <catch2/catch.hpp>

#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

/// A state of which every ground for a verdict can be switched on by itself.
struct Grounds {
    bool ended = false;
    bool unheard = false;
    bool call = false;
    bool quiet = false;
    bool strict = false;
    bool changed = false;
    bool moved = false;
};

Judgement judged(const Grounds& g) {
    SessionState state;
    state.n = 40;
    state.last_beat_at = at(0);
    state.asked_interval = Millis{10'000};
    if (g.ended) state.outcome = Outcome::kFailed;
    if (g.call) state.open_calls.push_back({"c", "bash", at(0)});
    if (g.quiet)
        (g.call ? state.detectors.heartbeat_rule.working_beats
                : state.detectors.heartbeat_rule.quiet_beats) = 5;
    if (g.strict) state.policy.profile = Profile::kStrict;
    if (g.changed) {
        state.state_changes = 1;
        state.last_change = EventType::kToolFinished;
        state.last_change_n = 7;
    }
    if (g.moved) state.ledger.external_n = 8;
    return judge(state, {at(g.unheard ? 20'000 : 19'999), at(0)});
}

}  // namespace

TEST_CASE("lattice: the stronger ground wins", "[core]") {
    struct Case {
        const char* name;
        Grounds grounds;
        Verdict expected;
    };
    const Case cases[] = {
        {"nothing yet", {}, Verdict::kStarting},
        {"a moving call", {.moved = true}, Verdict::kProgressing},
        {"a change", {.changed = true}, Verdict::kExploring},
        {"a call that moves after a change",
         {.changed = true, .moved = true},
         Verdict::kProgressing},
        {"quiet beats over a change", {.quiet = true, .changed = true}, Verdict::kSuspect},
        {"strict", {.quiet = true, .strict = true, .changed = true}, Verdict::kStuck},
        {"working beats", {.call = true, .quiet = true, .changed = true}, Verdict::kSlow},
        {"strict working beats", {.call = true, .quiet = true, .strict = true}, Verdict::kSlow},
        {"unheard over quiet beats", {.unheard = true, .quiet = true}, Verdict::kSilent},
        {"unheard over strict", {.unheard = true, .quiet = true, .strict = true}, Verdict::kSilent},
        {"unheard in a call", {.unheard = true, .call = true}, Verdict::kSlow},
        {"the end over all",
         {.ended = true, .unheard = true, .quiet = true, .strict = true, .changed = true},
         Verdict::kFailed},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.name) {
            CHECK(judged(c.grounds).verdict == c.expected);
        }
    }
}

TEST_CASE("lattice: an outcome is its verdict", "[core]") {
    const std::pair<Outcome, Verdict> cases[] = {{Outcome::kCompleted, Verdict::kCompleted},
                                                 {Outcome::kFailed, Verdict::kFailed},
                                                 {Outcome::kCancelled, Verdict::kCancelled},
                                                 {Outcome::kHalted, Verdict::kHalted}};
    for (const auto& [outcome, verdict] : cases) {
        SessionState state;
        state.n = 3;
        state.outcome = outcome;
        state.end_reason = "because";
        const Judgement judgement = judge(state, {at(0), at(0)});
        CHECK(judgement.verdict == verdict);
        CHECK(judgement.reason == "because");
        CHECK(judgement.evidence == std::vector<std::uint64_t>{3});
        CHECK(is_final(judgement.verdict));
    }
}

TEST_CASE("lattice: exploring without anything new says so, and names its event", "[core]") {
    const Judgement judgement = judged({.changed = true});
    CHECK(judgement.reason == "nothing new yet");
    CHECK(judgement.evidence == std::vector<std::uint64_t>{7});
}

TEST_CASE("lattice: our own absence postpones silence", "[core]") {
    SessionState state;
    state.last_beat_at = at(0);
    state.asked_interval = Millis{1'000};
    CHECK(judge(state, {at(5'000), at(0)}).verdict == Verdict::kSilent);
    CHECK(judge(state, {at(5'000), at(4'000)}).verdict == Verdict::kStarting);
    CHECK(judge(state, {at(6'000), at(4'000)}).verdict == Verdict::kSilent);
}

namespace {

/// The verdict after the same call, with the same outcome, so many times.
Verdict after_equal_calls(int count, bool ok) {
    Story story;
    for (int i = 0; i < count; ++i) {
        ToolFinished call;
        call.tool = "search";
        call.ok = ok;
        call.result.kept = "\"the same answer\"";
        (void)story.report(event(call), 10 + i);
    }
    return story.verdict();
}

}  // namespace

TEST_CASE("lattice: three equal calls are suspect, four are stuck", "[core]") {
    CHECK(after_equal_calls(2, true) == Verdict::kExploring);
    CHECK(after_equal_calls(3, true) == Verdict::kSuspect);
    CHECK(after_equal_calls(4, true) == Verdict::kStuck);
}

TEST_CASE("lattice: a failing call may be made three times, the fourth is stuck", "[core]") {
    CHECK(after_equal_calls(3, false) == Verdict::kExploring);
    CHECK(after_equal_calls(4, false) == Verdict::kStuck);
}
