// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <optional>
#include <set>
#include <utility>

#include "tests/support/gen.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

// The heartbeat rule as the fold feeds it, compared with a naive model of docs/detection.md,
// section 5.6.

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

/// The naive model's state.
struct Naive {
    std::uint32_t limit = 5;
    bool strict = false;
    bool call = false;                  // started and not finished
    std::optional<std::uint64_t> last;  // counter of the last heartbeat's call
    bool named = false;                 // a heartbeat has named its call
    bool prompt = false;                // the model was asked and has not answered
    bool changed_file = false;
    bool stopped = false;
    std::string phase;
    std::set<std::string> lately;
    std::size_t quiet = 0;
    std::size_t working = 0;
    bool by_model = false;

    void restart() { quiet = working = 0; }
    void work(bool model) {
        if (model != by_model) working = 0;
        by_model = model;
        ++working;
    }
    void forget() {
        lately.clear();
        if (!phase.empty()) lately.insert(phase);
    }

    void see(const Step& step) {
        const bool is_beat = step.kind == Kind::kBeat || step.kind == Kind::kFlightBeat;
        if (step.kind == Kind::kStart) call = true;
        if (step.kind == Kind::kFinish) call = false;
        const bool moved =
            step.kind == Kind::kFlightBeat && last.has_value() && *last != step.counter;
        if (step.kind == Kind::kFlightBeat) last = step.counter;
        if (step.kind == Kind::kBeat || step.kind == Kind::kFinish) last.reset();
        std::string entered = step.kind == Kind::kBeat ? step.phase : std::string{};
        if (step.kind == Kind::kPhase) entered = step.phase.empty() ? "p" : step.phase;
        const bool turned = !entered.empty() && entered != phase;
        if (turned) phase = entered;
        const bool is_new =
            turned && lately.size() < RecentPhases::kMax && lately.insert(phase).second;
        if (step.kind == Kind::kUser) forget();
        if (step.kind == Kind::kFinish && !changed_file) forget();  // progress, the first time
        if (step.kind == Kind::kFinish) changed_file = true;
        if (!is_beat) prompt = step.kind == Kind::kUser;
        if (is_beat) {
            see_beat(step, turned, is_new || moved);
        } else if (step.kind != Kind::kAssistant && step.kind != Kind::kError) {
            restart();
        }
        if (strict && severity() == Severity::kStuck && !std::exchange(stopped, true))
            prompt = false;
    }
    void see_beat(const Step& step, bool turned, bool restarts) {
        if (restarts) {
            restart();
        } else if (call || last.has_value()) {
            if (step.kind == Kind::kFlightBeat && !std::exchange(named, true)) quiet = 0;
            work(false);
        } else if ((prompt || phase == "reflection") && !turned) {
            work(true);
        } else {
            working = 0;
            ++quiet;
        }
    }
    Severity severity() const {
        if (working >= limit) return Severity::kSlow;
        if (quiet < limit) return Severity::kNone;
        return strict ? Severity::kStuck : Severity::kSuspect;
    }
};

Step random_step(Gen& gen) {
    static constexpr Kind kKinds[] = {
        Kind::kBeat,       Kind::kBeat,       Kind::kBeat,  Kind::kBeat,   Kind::kBeat,
        Kind::kFlightBeat, Kind::kFlightBeat, Kind::kStart, Kind::kFinish, Kind::kUser,
        Kind::kAssistant,  Kind::kPhase,      Kind::kError};
    static constexpr const char* kPhases[] = {"", "", "", "", "", "p", "q", "reflection"};
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
        Naive naive;
        naive.limit = policy.heartbeat_limit;
        naive.strict = policy.profile == Profile::kStrict;
        std::vector<Step> steps;
        for (int i = 0; i < 40; ++i) {
            steps.push_back(random_step(gen));
            Event event = event_of(steps.back());
            // A repeated finish would be a replay, which is ignored.
            if (auto* call = std::get_if<ToolFinished>(&event.payload)) {
                call->target = std::to_string(i);
            }
            (void)story.report(std::move(event), 10 + i);
            const SessionState& state = story.session.state();
            const Severity severity = state.detectors->heartbeat_rule.severity(
                thresholds_of(policy, kIdOf<HeartbeatRule>), *state.ledger);
            naive.see(steps.back());
            const Severity expected = naive.severity();
            if (severity == expected) continue;
            FAIL("limit " << policy.heartbeat_limit << ", steps " << shown(steps) << ", said "
                          << static_cast<int>(severity) << ", expected "
                          << static_cast<int>(expected));
        }
    }
}
