#include <catch2/catch.hpp>

#include "tests/support/gen.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

// The heartbeat rule as the fold feeds it, against the sentence of the design written down naively:
// it keeps every event and looks back over all of them each time.

using namespace headway::core;
using namespace headway::tests;

namespace {

enum class Kind { kBeat, kFlightBeat, kStart, kFinish, kUser, kAssistant, kPhase, kError };

struct Step {
    Kind kind;
    std::uint64_t counter = 0;
    std::string phase;  ///< of a plain beat
};

Event event_of(const Step& step) {
    switch (step.kind) {
        case Kind::kBeat:
            return beat_in_phase(step.phase);
        case Kind::kFlightBeat:
            return beat_in_flight("f", step.counter);
        case Kind::kStart:
            return tool_started("c");
        case Kind::kFinish:
            return tool_finished("c");
        case Kind::kUser:
            return message("user");
        case Kind::kAssistant:
            return message("assistant");
        case Kind::kPhase:
            return phase_started(step.phase.empty() ? "p" : step.phase);
        case Kind::kError:
            break;
    }
    return event(ErrorReported{});
}

/// What the rule says after these steps, by looking at all of them.
Rung naive(const std::vector<Step>& steps, std::uint32_t limit, bool strict) {
    bool call = false;                  // started and not finished
    std::optional<std::uint64_t> last;  // counter of the last beat's call
    std::string phase;
    std::vector<bool> row;  // beats since the last move: was a call in flight?
    for (const Step& step : steps) {
        const bool is_beat = step.kind == Kind::kBeat || step.kind == Kind::kFlightBeat;
        bool moved = step.kind == Kind::kStart || step.kind == Kind::kFinish ||
                     step.kind == Kind::kUser || step.kind == Kind::kPhase;
        if (step.kind == Kind::kStart) call = true;
        if (step.kind == Kind::kFinish) call = false;
        if (step.kind == Kind::kFlightBeat && last && *last != step.counter) moved = true;
        if (step.kind == Kind::kFlightBeat) last = step.counter;
        if (step.kind == Kind::kBeat || step.kind == Kind::kFinish) last.reset();
        const std::string named =
            step.kind == Kind::kPhase && step.phase.empty() ? "p" : step.phase;
        if ((is_beat || step.kind == Kind::kPhase) && !named.empty()) {
            if (is_beat && named != phase) moved = true;
            phase = named;
        }
        if (moved) row.clear();
        if (is_beat && !moved) row.push_back(call || last.has_value());
    }
    std::size_t same = 0;  // beats at the end of the row that agree on whether a call was in flight
    while (same < row.size() && row[row.size() - 1 - same] == row.back())
        ++same;
    if (same < limit) return Rung::kNone;
    if (row.back()) return Rung::kSlow;
    return strict ? Rung::kStuck : Rung::kSuspect;
}

Step random_step(Gen& gen) {
    static constexpr Kind kKinds[] = {
        Kind::kBeat,       Kind::kBeat,       Kind::kBeat,  Kind::kBeat,   Kind::kBeat,
        Kind::kFlightBeat, Kind::kFlightBeat, Kind::kStart, Kind::kFinish, Kind::kUser,
        Kind::kAssistant,  Kind::kPhase,      Kind::kError};
    static constexpr const char* kPhases[] = {"", "", "", "", "p", "q"};
    Step step{gen.pick(kKinds), gen.below(2), {}};
    if (step.kind == Kind::kBeat || step.kind == Kind::kPhase) step.phase = gen.pick(kPhases);
    return step;
}

std::string shown(const std::vector<Step>& steps) {
    std::string out;
    for (const Step& step : steps)
        out += std::to_string(static_cast<int>(step.kind)) + step.phase +
               (step.kind == Kind::kFlightBeat ? "@" + std::to_string(step.counter) : "") + " ";
    return out;
}

}  // namespace

TEST_CASE("property: the heartbeat rule agrees with its naive model", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (int round = 0; round < 2'000; ++round) {
        Policy policy;
        policy.heartbeat_limit = static_cast<std::uint32_t>(2 + gen.below(4));
        policy.profile = gen.chance(2) ? Profile::kStrict : Profile::kBalanced;
        Story story{policy};
        std::vector<Step> steps;
        for (int i = 0; i < 40; ++i) {
            steps.push_back(random_step(gen));
            Event made = event_of(steps.back());
            // The same call finished twice would be a replay, which is no event at all.
            if (auto* call = std::get_if<ToolFinished>(&made.payload)) {
                call->target = std::to_string(i);
            }
            (void)story.report(std::move(made), 10 + i);
            const SessionState& state = story.session.state();
            const Rung said = state.detectors.heartbeat_rule.rung(
                policy.thresholds(DetectorId::kHeartbeatRule), state.ledger);
            const Rung expected =
                naive(steps, policy.heartbeat_limit, policy.profile == Profile::kStrict);
            if (said == expected) continue;
            FAIL("limit " << policy.heartbeat_limit << ", steps " << shown(steps) << ", said "
                          << static_cast<int>(said) << ", expected " << static_cast<int>(expected));
        }
    }
}
