// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/budgets/budget.hpp"
#include "core/meters/budget_settings.hpp"
#include "tests/support/make.hpp"

namespace headway::tests {

inline core::BudgetLimits time_limit(std::uint64_t seconds) {
    core::BudgetLimits limits;
    limits.timeout_seconds = seconds;
    return limits;
}

inline core::BudgetLimits step_limit(std::uint64_t steps) {
    core::BudgetLimits limits;
    limits.max_steps = steps;
    return limits;
}

inline core::Event beat_of_iteration(std::uint64_t iteration) {
    core::Heartbeat data;
    data.iteration = iteration;
    return event(std::move(data));
}

inline core::Event beat_with_usage(std::uint64_t tokens, std::optional<double> cost_usd = {}) {
    core::Heartbeat data;
    data.usage = use_of(tokens, 0, 0, cost_usd);
    return event(std::move(data));
}

inline core::Event said(std::string text) {
    core::Message data;
    data.role = "assistant";
    data.text = core::bounded_text(std::move(text));
    return event(std::move(data));
}

/// The payloads of that type among these events, in order.
template <class P>
std::vector<P> all_of_type(const std::vector<core::Event>& events) {
    std::vector<P> found;
    for (const core::Event& one : events) {
        if (const auto* payload = std::get_if<P>(&one.payload)) found.push_back(*payload);
    }
    return found;
}

/// A session with a budget, opened at 0, and every event it wrote.
struct Budgeted {
    core::Session session{"story"};
    std::vector<core::Event> events;
    core::Watch watch{at(0)};

    explicit Budgeted(const core::BudgetLimits& limits, const core::BudgetRules& rules = {},
                      const core::Policy& policy = {}) {
        core::SessionStarted about;
        about.budget = limits;
        about.budget_rules = rules;
        session.open(std::move(about), policy, around(0), events);
    }

    core::Context around(std::int64_t ms) const {
        core::Context built = context(ms);
        built.watch = watch;
        return built;
    }
    std::vector<core::Event> report(std::vector<core::Event> one_events, std::int64_t ms) {
        std::vector<core::Event> out;
        session.report(one_events, around(ms), out);
        return keep(std::move(out));
    }
    std::vector<core::Event> report(core::Event event, std::int64_t ms) {
        std::vector<core::Event> in;
        in.push_back(std::move(event));
        return report(std::move(in), ms);
    }
    std::vector<core::Event> tick(std::int64_t ms) {
        std::vector<core::Event> out;
        session.tick(around(ms), out);
        return keep(std::move(out));
    }
    std::vector<core::Event> extend(const core::BudgetLimits& added, std::int64_t ms) {
        std::vector<core::Event> out;
        (void)session.extend_budget(added, "ann", "more", {}, around(ms), out).has_value();
        return keep(std::move(out));
    }
    std::vector<core::Event> set(const core::BudgetLimits& limits, std::int64_t ms) {
        std::vector<core::Event> out;
        (void)session.set_budget({limits, "ann", "less"}, around(ms), out).has_value();
        return keep(std::move(out));
    }
    std::vector<core::Event> child(std::string id, std::uint64_t steps, std::int64_t ms,
                                   bool has_ended = false) {
        core::ChildProgress progress;
        progress.child = std::move(id);
        progress.steps = steps;
        progress.tokens = 10 * steps;
        progress.ended = has_ended;
        std::vector<core::Event> out;
        session.child_progress(std::move(progress), around(ms), out);
        return keep(std::move(out));
    }
    /// One whole model turn: a call that begins and ends.
    std::vector<core::Event> step(std::int64_t ms) {
        return report(tool_finished("c" + std::to_string(++calls_)), ms);
    }
    core::BudgetStatus status(std::int64_t ms) const {
        return core::budget_status(session.state(), at(ms), watch);
    }
    const core::BudgetMeter& meter() const { return session.state().budget; }
    core::BudgetLevel level() const { return meter().level; }
    const std::vector<core::Directive>& directives() const { return session.state().directives; }

    std::vector<core::Event> keep(std::vector<core::Event> out) {
        events.insert(events.end(), out.begin(), out.end());
        return out;
    }

private:
    int calls_ = 0;
};

}  // namespace headway::tests
