// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "core/fold/fold.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

// Reports beside a loop remove its evidence only through the events and bounds listed in
// core/detectors/README.md, "What lifts what was counted".

using namespace headway::core;
using namespace headway::tests;

namespace {

/// An event that is on no list: it resets nothing, whatever it contains.
Event chatter(Gen& gen, std::uint64_t number) {
    const std::string text = "note " + std::to_string(number) + " " + std::to_string(gen.word());
    switch (gen.below(9)) {
        case 0: {
            Heartbeat beat;
            beat.iteration = gen.below(1'000);
            beat.note = text;
            if (gen.chance(2)) beat.in_flight = InFlightBeat{"c", 7};
            return event(std::move(beat));
        }
        case 1: {
            Message message;
            message.role = "assistant";
            message.text = bounded_text(text);
            return event(std::move(message));
        }
        case 2: {
            Reflection thought;
            thought.text = bounded_text(text);
            thought.confidence = 1.0;
            return event(std::move(thought));
        }
        case 3: {
            PlanUpdated plan;
            plan.text = bounded_text(text);
            return event(std::move(plan));
        }
        case 4: {
            ProgressEstimated estimate;
            estimate.percent = static_cast<double>(gen.below(101));
            return event(std::move(estimate));
        }
        case 5: {
            FactLearned fact;
            fact.text = bounded_text(text);
            return event(std::move(fact));
        }
        case 6: {
            StateChanged change;
            change.state = static_cast<AgentState>(gen.below(8));
            return event(std::move(change));
        }
        case 7:
            return gen.chance(2) ? phase_started("phase " + std::to_string(gen.below(40)))
                                 : beat_in_phase("phase " + std::to_string(gen.below(40)));
        default:
            return acknowledged("d" + std::to_string(gen.below(400)));
    }
}

ToolFinished call_of(Gen& gen) {
    ToolFinished call;
    call.tool = "search";
    if (gen.chance(2)) call.round = gen.chance(2) ? 1 : gen.below(5);
    return call;
}

/// Steps of a loop until it is stuck, with chatter between them; `most` + 1 if never.
template <class Step>
int steps_until_stuck(Gen& gen, int most, Step step) {
    Story story;
    std::int64_t now = 10;
    std::uint64_t number = 0;
    for (int i = 1; i <= most; ++i) {
        story.report(event(step(i)), now++);
        if (story.verdict() == Verdict::kStuck) {
            REQUIRE(folded(story.events) == story.session.state());
            return i;
        }
        for (std::uint64_t noise = gen.below(4); noise > 0; --noise)
            story.report(chatter(gen, ++number), now++);
        if (story.verdict() == Verdict::kStuck) return i;
    }
    return most + 1;
}

}  // namespace

TEST_CASE("property: no other report of an agent hides a repeated call", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (int life = 0; life < 150; ++life) {
        const int steps = steps_until_stuck(gen, 120, [&gen](int) {
            ToolFinished call = call_of(gen);
            call.result.kept = "\"the same long answer to the same question\"";
            return call;
        });
        REQUIRE(steps <= 120);
    }
}

TEST_CASE("property: no other report of an agent hides one tool failing with one error",
          "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (int life = 0; life < 150; ++life) {
        // Eight new phases may each restart the count; then no name is new.
        const int steps = steps_until_stuck(gen, 200, [&gen](int i) {
            ToolFinished call = call_of(gen);
            call.ok = false;
            call.target = "file " + std::to_string(i);
            call.error = ToolError{"", bounded_text("no such option: --colour")};
            return call;
        });
        REQUIRE(steps <= 200);
    }
}

TEST_CASE("property: only a few phase names are new between two steps of progress", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    Story story;
    std::size_t resets = 0;
    for (int i = 0; i < 2'000; ++i) {
        const std::size_t before = story.session.state().recent_phases.names.size();
        story.report(beat_in_phase("phase " + std::to_string(gen.word())), 10 + i);
        resets += story.session.state().recent_phases.names.size() - before;
    }
    CHECK(resets == RecentPhases::kMax);
    story.report(message("user"), 3'000);
    CHECK(story.session.state().recent_phases.names.size() == 1);
}
