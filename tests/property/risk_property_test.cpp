// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "core/judgement/risk.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/make.hpp"

// The learned risk over random journals.

using namespace headway::core;
using namespace headway::tests;

namespace {

Event reported(Gen& gen) {
    EventType type = gen.chance(3) ? EventType::kToolFinished : gen.any_type();
    while (!reportable(type) || type == EventType::kApprovalRequested ||
           (type == EventType::kSessionEnded && !gen.chance(50)))
        type = gen.any_type();
    Event made;
    made.payload = gen.payload(type);
    return made;
}

}  // namespace

TEST_CASE("property: the risk is from 0 to 1 after any event of any journal", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (int life = 0; life < 80; ++life) {
        Policy policy;
        policy.risk = true;
        Story story{policy};
        for (int step = 0; step < 120; ++step) {
            Event made = reported(gen);
            if (!story.session.admit({&made, 1})) continue;
            (void)story.report(std::move(made), step * 100);
            const SessionState& state = story.session.state();
            for (const double feature : risk_features(state)) {
                REQUIRE(feature >= 0);  // false for NaN
                REQUIRE(feature <= 1);
            }
            const auto risk = shown_risk(state);
            REQUIRE(risk.has_value() == (!state.ended() && state.tool_calls > 0));
            if (risk) {
                REQUIRE(*risk > 0);
                REQUIRE(*risk < 1);
            }
            // A replay gives the same number.
            if (step % 40 == 0) REQUIRE(shown_risk(folded(story.events)) == risk);
        }
    }
}
