// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/fold/fold.hpp"
#include "core/policies/policy_floor.hpp"
#include "core/session/session.hpp"
#include "core/session/session_command.hpp"

// The opening of a session, explicit or after an implicit one.

namespace headway::core {
namespace {

/// Raises a policy to the floor; `raised` gets the names of what was below.
void raise(const PolicyFloor& floor, const Policy& defaults, Policy& policy,
           std::vector<std::string>& raised) {
    std::vector<std::string> more = raise_to(floor, defaults, policy);
    std::move(more.begin(), more.end(), std::back_inserter(raised));
}

/// Trust is only the default, so an untrusted origin is reported only to clients that asked for
/// trust.
void note_origin(const PolicyOverride& asked, const Policy& got, std::vector<std::string>& raised) {
    if (asked.trust_origin.value_or(false) && !got.trust_origin)
        raised.emplace_back("/policy/trust_origin");
}

Error loosens(std::string field) {
    return {ErrorCode::kForbidden,
            "the session was opened by a report and now has stricter rules; loosening them needs "
            "the scope `control`",
            std::move(field)};
}

/// The part of `next` that tightens `now`. Error: kForbidden for what loosens it.
template <class T>
Result<> tighten(std::optional<T>& next, const std::optional<T>& now, const char* name) {
    if (next && now && *next > *now) return loosens(std::string{"/budget/"} + name);
    if (!next) next = now;
    HEADWAY_ASSERT(next.has_value() || !now.has_value());
    return {};
}

/// Fields that an opening and an amendment share.
void take_said(SessionState& state, const auto& fields) {
    Opening& about = state.about;
    about.goal = fields.goal;
    about.agent = fields.agent;
    about.parent = fields.parent;
    about.labels = fields.labels;
    about.budget = fields.budget;
    about.raised = fields.raised;
    about.complexity = fields.complexity;
    about.suggested_from = fields.suggested_from;
    about.by_operator = fields.by_operator;
    state.policy.take_alike(effective_policy(fields.policy, Policy{}));
}

Result<BudgetLimits> tightened(const BudgetLimits& now, BudgetLimits next) {
    HEADWAY_CHECK(tighten(next.timeout_seconds, now.timeout_seconds, "timeout_seconds"));
    HEADWAY_CHECK(tighten(next.max_steps, now.max_steps, "max_steps"));
    HEADWAY_CHECK(tighten(next.max_tokens, now.max_tokens, "max_tokens"));
    HEADWAY_CHECK(tighten(next.max_cost_usd, now.max_cost_usd, "max_cost_usd"));
    return next;
}

}  // namespace

void enter_opening(SessionState& state, const SessionStarted& started) {
    take_said(state, started);
    state.about.implicit = started.implicit;
    state.about.recorded = started.recorded;
    state.about.budget_rules.take_alike(started.budget_rules);
    state.about.budget_source = started.budget_source;
    for (const std::string& adapter : started.adapters)
        enter_adapter(state.about, adapter);
}

void enter_adapter(Opening& about, const std::string& adapter) {
    auto& known = about.adapters;
    if (known.size() >= limits::kAdaptersMax) return;
    if (std::find(known.begin(), known.end(), adapter) == known.end()) known.push_back(adapter);
    HEADWAY_ASSERT(known.size() <= limits::kAdaptersMax);
}

void amend_opening(SessionState& state, const SessionAmended& amended) {
    take_said(state, amended);
    state.about.implicit = false;
}

void Session::open(SessionStarted about, const Policy& defaults, const Context& context,
                   std::vector<Event>& out) {
    Command command{*this, context, out};
    HEADWAY_ASSERT(state_.n == 0);
    Policy policy = effective_policy(about.policy, defaults);
    if (context.floor != nullptr) {
        raise(*context.floor, defaults, policy, about.raised);
        note_origin(about.policy, policy, about.raised);
    }
    about.policy = whole_policy(policy);
    command.add(std::move(about));
    HEADWAY_ASSERT(state_.n == 1 && !state_.ended());
}

Result<> Session::amend(SessionStarted again, const Policy& defaults, const Context& context,
                        std::vector<Event>& out) {
    Command command{*this, context, out};
    if (state_.ended()) return ended_error(state_);
    SessionAmended amended;
    Policy policy = effective_policy(again.policy, *state_.policy);
    if (context.floor != nullptr) {
        amended.raised = std::move(again.raised);
        raise(*context.floor, defaults, policy, amended.raised);
        note_origin(again.policy, policy, amended.raised);
        const std::string weaker = weaker_field(policy, *state_.policy);
        if (!weaker.empty()) return loosens("/policy" + weaker);
        HEADWAY_TRY(again.budget, tightened(state_.budget.limits, again.budget));
    }
    amended.goal = std::move(again.goal);
    amended.agent = std::move(again.agent);
    amended.parent = std::move(again.parent);
    amended.labels = std::move(again.labels);
    amended.policy = whole_policy(policy);
    amended.budget = again.budget;
    amended.complexity = again.complexity;
    amended.suggested_from = again.suggested_from;
    amended.by_operator = again.by_operator;
    credit_pause(command);
    command.add(std::move(amended));
    add_budget_level(command);
    add_verdict(command);
    add_advice(command);
    follow_budget(command, false, false);
    return {};
}

}  // namespace headway::core
