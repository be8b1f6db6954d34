// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "core/session/session.hpp"
#include "storage/codec/codec.hpp"
#include "tests/support/budgeted.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/names.hpp"

// Random sessions with budgets: replay equals live, and the invariants of the levels hold.

using namespace headway::core;
using namespace headway::tests;
using headway::storage::decode_state;
using headway::storage::encode_state;

namespace {

BudgetLimits random_limits(Gen& gen) {
    BudgetLimits limits;
    if (gen.chance(2)) limits.timeout_seconds = 30 + gen.below(300);
    if (gen.chance(2)) limits.max_steps = 5 + gen.below(60);
    if (gen.chance(3)) limits.max_tokens = 1 + gen.below(20'000);
    if (gen.chance(3)) limits.max_cost_usd = static_cast<double>(1 + gen.below(500)) / 100;
    return limits;
}

BudgetRules random_rules(Gen& gen) {
    BudgetRules rules;
    rules.wrap_up_percent = 50 + gen.below(25);
    rules.warn_percent = rules.wrap_up_percent + gen.below(10);
    rules.force_exit_percent = rules.warn_percent + gen.below(16);
    rules.count_human = gen.chance(2);
    rules.count_rate_limit = gen.chance(2);
    rules.roll_up = !gen.chance(4);
    rules.in_flight_extension_seconds = gen.chance(2) ? 0 : gen.below(90);
    return rules;
}

Event random_event(Gen& gen) {
    const std::string call = "c" + std::to_string(gen.below(6));
    switch (gen.below(10)) {
        case 0:
            return tool_started(call);
        case 1:
            return tool_finished(call, !gen.chance(4));
        case 2:
            return beat_of_iteration(gen.below(40));
        case 3:
            return beat_with_usage(gen.below(600), static_cast<double>(gen.below(100)) / 1000);
        case 4:
            return said(gen.utf8(gen.below(2'000)));
        case 5: {
            ErrorReported error;
            error.status = gen.chance(2) ? 429 : 500;
            return event(error);
        }
        case 6: {
            StateChanged change;
            change.state =
                gen.chance(2) ? AgentState::kAwaitingPermission : AgentState::kProcessingPrompt;
            return event(change);
        }
        case 7:
            return acknowledged("d" + std::to_string(gen.below(60)));
        default: {
            Event one_event;
            one_event.payload =
                gen.payload(gen.chance(2) ? EventType::kHeartbeat : EventType::kToolFinished);
            return one_event;
        }
    }
}

/// Invariants.
void check_promises(const Budgeted& b, const std::vector<Event>& out, std::int64_t now) {
    const SessionState& state = b.session.state();
    const BudgetMeter& meter = state.budget;
    for (const auto& change : all_of_type<BudgetLevelChanged>(out))
        REQUIRE(change.from != change.to);
    // Extra time for calls does not change the advice.
    for (const auto& more : all_of_type<BudgetExtended>(out)) {
        if (!more.calls.empty()) REQUIRE(meter.level == BudgetLevel::kExhausted);
    }
    REQUIRE(meter.children.size() <= limits::kChildrenMax);
    REQUIRE(meter.extended_calls.size() <= limits::kInFlightMax + 1);
    if (state.ended()) return;
    REQUIRE(meter.level == b.status(now).level);
    REQUIRE(meter.told_level == meter.level);
    const auto deadline = budget_deadline(state, b.watch);
    if (deadline == kNever) return;
    // Just before it nothing changes, at it something does.
    const auto due = (deadline - at(0)).count();
    if (due > now + 1) REQUIRE(b.status(due - 1).level <= meter.level);
    Budgeted later = b;
    REQUIRE_FALSE(later.tick(std::max(due, now)).empty());
}

std::vector<Event> random_step(Budgeted& b, Gen& gen, std::int64_t now) {
    switch (gen.below(14)) {
        case 0:
            return b.tick(now);
        case 1:
            return b.extend(random_limits(gen), now);
        case 2:
            return gen.chance(3) ? b.set(random_limits(gen), now) : b.tick(now);
        case 3:
            return b.child("child" + std::to_string(gen.below(4)), gen.below(9), now,
                           gen.chance(8));
        default:
            break;
    }
    std::vector<Event> in(1 + gen.below(3));
    for (Event& one : in)
        one = random_event(gen);
    if (!b.session.admit(in)) return {};
    return b.report(std::move(in), now);
}

}  // namespace

TEST_CASE("property: a session with a budget is the fold of its events", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    std::size_t ends = 0;
    for (int life = 0; life < 200; ++life) {
        Budgeted b{random_limits(gen), random_rules(gen)};
        std::int64_t now = 0;
        for (int step = 0; step < 80 && !b.session.state().ended(); ++step) {
            const std::int64_t before = now;
            now += static_cast<std::int64_t>(gen.chance(10) ? gen.below(60'000) : gen.below(1'500));
            if (gen.chance(25)) b.watch = at(now);
            if (gen.chance(10)) b.watch.note_gap(at(before), at(now));
            const auto out = random_step(b, gen, now);
            if (!out.empty()) check_promises(b, out, now);
        }
        ends += b.session.state().ended() ? 1U : 0U;
        const SessionState replayed = folded(b.events);
        REQUIRE(replayed == b.session.state());
        const auto snapshot = decode_state(encode_state(replayed));
        REQUIRE(snapshot.has_value());
        REQUIRE(*snapshot == replayed);
        const auto figures = budget_status(*snapshot, at(now + 5'000), b.watch);
        REQUIRE(figures.time.used == b.status(now + 5'000).time.used);
        REQUIRE(figures.pressure == b.status(now + 5'000).pressure);
    }
    CHECK(ends > 0);  // otherwise the budgets are too large to test anything
}

TEST_CASE("property: clocks add up to the time that passed", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (int life = 0; life < 100; ++life) {
        Budgeted b{step_limit(1'000'000), random_rules(gen)};
        std::int64_t now = 0;
        for (int step = 0; step < 60; ++step) {
            now += static_cast<std::int64_t>(gen.below(3'000));
            b.report(random_event(gen), now);
            if (b.session.state().ended()) break;
            const BudgetStatus status = b.status(now);
            REQUIRE(status.model + status.tool + status.human + status.rate_limit == Millis{now});
        }
    }
}
