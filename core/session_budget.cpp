// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/assert.hpp"
#include "core/budget.hpp"
#include "core/budget_text.hpp"
#include "core/session.hpp"
#include "core/session_event.hpp"

// The session's reactions to its budget.

namespace headway::core {
namespace {

Error ended_error() {
    return {ErrorCode::kSessionEnded, "the session has ended; its budget cannot change", {}};
}

Error no_limit(const char* field) {
    return {ErrorCode::kInvalidField, "there is no limit to extend; set one",
            std::string{"/extend/"} + field};
}

/// True if the time now counts against a limit.
bool time_counts(const SessionState& state) {
    const BudgetRules& rules = state.about.budget_rules;
    const BudgetClock running = state.budget.running;
    if (running == BudgetClock::kHuman) return rules.count_human;
    if (running == BudgetClock::kRateLimit) return rules.count_rate_limit;
    return running != BudgetClock::kNone;
}

/// The calls that are in flight, each once.
std::vector<std::string> calls_in_flight(const SessionState& state) {
    std::vector<std::string> calls;
    const auto take = [&calls](const std::string& call) {
        if (std::find(calls.begin(), calls.end(), call) == calls.end()) calls.push_back(call);
    };
    for (const OpenCall& call : state.open_calls)
        take(call.call_id);
    if (state.in_flight_beat) take(state.in_flight_beat->call_id);
    HEADWAY_ASSERT(calls.size() <= limits::kInFlightMax + 1);
    return calls;
}

constexpr BudgetBounds kUnbounded{0, UINT64_MAX, 0, UINT64_MAX, 0, 0};
constexpr std::string_view kUpToTheMaximum = "no further than the configured maximum";

/// Extra time of calls beyond the limit, within the bound of the limits.
std::uint64_t call_extension_seconds(const SessionState& state) {
    const BudgetRules& rules = state.about.budget_rules;
    const std::uint64_t limit = state.budget.limits.timeout_seconds.value_or(0);
    if (rules.timeout_seconds_max == 0 || limit > rules.timeout_seconds_max)
        return rules.in_flight_extension_seconds;
    HEADWAY_ASSERT(limit <= rules.timeout_seconds_max);
    return std::min(rules.in_flight_extension_seconds, rules.timeout_seconds_max - limit);
}

}  // namespace

Result<> Session::set_budget(BudgetSet set, const Context& context, std::vector<Event>& out) {
    if (state_.ended()) return ended_error();
    credit_pause(context, out);
    add(make_event(std::move(set), context), out);
    add_budget_level(context, out);
    follow_budget(false, false, context, out);
    return {};
}

Result<> Session::extend_budget(const BudgetLimits& added, std::string by, std::string reason,
                                std::string approval, const Context& context,
                                std::vector<Event>& out) {
    if (state_.ended()) return ended_error();
    const BudgetLimits& limits = state_.budget.limits;
    if (added.timeout_seconds && !limits.timeout_seconds) return no_limit("timeout_seconds");
    if (added.max_steps && !limits.max_steps) return no_limit("max_steps");
    if (added.max_tokens && !limits.max_tokens) return no_limit("max_tokens");
    if (added.max_cost_usd && !limits.max_cost_usd) return no_limit("max_cost_usd");
    credit_pause(context, out);
    BudgetExtended extended;
    extended.added = added;
    extended.by = std::move(by);
    extended.reason = std::move(reason);
    extended.approval = std::move(approval);
    add(make_event(std::move(extended), context), out);
    add_budget_level(context, out);
    follow_budget(false, false, context, out);
    return {};
}

/// The extension that a request would add: dimensions without a limit need none, and the operator's
/// maximum bounds the rest.
BudgetLimits Session::extension_of(const Approval& asked, const Context& context) const {
    if (!asked.extend) return {};
    return within_bounds(state_.budget.limits, *asked.extend,
                         context.bounds != nullptr ? *context.bounds : kUnbounded);
}

/// An approval that adds nothing is an error, because the approver would believe that it was
/// granted.
Result<> Session::check_extends(const Approval& asked, const Context& context) const {
    if (!asked.extend || extension_of(asked, context) != BudgetLimits{}) return {};
    const bool limited =
        within_bounds(state_.budget.limits, *asked.extend, kUnbounded) != BudgetLimits{};
    if (!limited) return {};
    return Error{ErrorCode::kInvalidField,
                 "the budget is at the configured maximum, so this approval would add nothing; "
                 "reject or ignore it, or raise the budget itself: POST /v1/sessions/" +
                     id_ + "/budget with extend",
                 "/decision"};
}

/// The one place where an approval becomes budget.
void Session::grant_extension(const Approval& approved, const Context& context,
                              std::vector<Event>& out) {
    const BudgetLimits added = extension_of(approved, context);
    if (added == BudgetLimits{}) return;
    const Approval* decided = state_.approvals.find(approved.n);
    const std::string by = decided != nullptr ? decided->by : std::string{};
    std::string reason = decided != nullptr ? decided->reason : std::string{};
    if (added != within_bounds(state_.budget.limits, *approved.extend, kUnbounded)) {
        reason += (reason.empty() ? "" : "; ") + std::string{kUpToTheMaximum};
    }
    // The session is open, and every dimension left has a limit.
    const auto done = extend_budget(added, by, reason, approval_id(id_, approved.n), context, out);
    HEADWAY_ASSERT(done.has_value());
}

void Session::child_progress(ChildProgress progress, const Context& context,
                             std::vector<Event>& out) {
    if (state_.ended() || !child_moved(state_.budget, progress)) return;
    credit_pause(context, out);
    add(make_event(std::move(progress), context), out);
    add_budget_level(context, out);
    follow_budget(false, false, context, out);
}

/// Time in which Headway was down or stopped is credited.
void Session::credit_pause(const Context& context, std::vector<Event>& out) {
    if (!state_.budget.limits.timeout_seconds || !time_counts(state_)) return;
    const Millis gap = unheard_gap(state_, context.watch);
    if (gap == Millis{0}) return;
    HEADWAY_ASSERT(gap > Millis{0});
    BudgetExtended credit;
    credit.automatic = true;
    credit.credited_ms = static_cast<std::uint64_t>(gap.count());
    credit.reason =
        "Headway was not listening for " + std::to_string(gap.count()) + " ms; they do not count";
    add(make_event(std::move(credit), context), out);
}

void Session::add_budget_level(const Context& context, std::vector<Event>& out) {
    const bool was_limited = state_.budget.level != BudgetLevel::kNominal;
    if ((!state_.budget.limited() && !was_limited) || state_.ended()) return;
    const BudgetStatus status = budget_status(state_, context.now, context.watch);
    if (status.level == state_.budget.level) return;
    BudgetLevelChanged change;
    change.from = state_.budget.level;
    change.to = status.level;
    change.dimension = status.dimension;
    change.pressure = status.pressure;
    change.elapsed_seconds = status.elapsed_seconds();
    change.remaining_seconds = status.remaining_seconds();
    change.steps_completed = status.steps.used;
    change.steps_remaining = status.steps_remaining();
    add(make_event(change, context), out);
}

void Session::add_budget_update(const Context& context, std::vector<Event>& out) {
    if (!state_.about.budget_rules.updates || !state_.budget.limited() || state_.ended()) return;
    const BudgetStatus status = budget_status(state_, context.now, context.watch);
    BudgetUpdated update;
    update.elapsed_seconds = status.elapsed_seconds();
    update.remaining_seconds = status.remaining_seconds();
    update.current_step = status.steps.used;
    update.max_steps = status.steps.limit;
    update.time_pressure = status.time.percent();
    update.step_pressure = status.steps.percent();
    update.level = status.level;
    add(make_event(update, context), out);
}

void Session::follow_budget(bool asked, bool stepped, const Context& context,
                            std::vector<Event>& out) {
    if (!state_.budget.limited() || state_.ended()) return;
    const BudgetStatus status = budget_status(state_, context.now, context.watch);
    const bool spent = is_spent(status);
    const bool extended = spent && !stepped && extend_for_calls(context, out);
    if (!extended && (spent || stepped)) {
        end_by_budget(stepped && !spent, context, out);
        return;
    }
    if (state_.budget.level == state_.budget.told_level) return;
    const BudgetStatus now = budget_status(state_, context.now, context.watch);
    DirectiveIssued directive;
    directive.id = "d" + std::to_string(state_.n + 1);
    directive.kind =
        now.level == BudgetLevel::kExhausted ? DirectiveKind::kStop : DirectiveKind::kWrapUp;
    directive.reason = budget_advice(now);
    HEADWAY_ASSERT(!directive.reason.empty());
    directive.budget = now.level;
    directive.unasked = !asked;
    add(make_event(std::move(directive), context), out);
}

/// Calls in flight when the time runs out get some extra time, once; not if another dimension is
/// exhausted too. Limit and advice stay as they are: the time is for finishing the call, not for
/// starting another.
bool Session::extend_for_calls(const Context& context, std::vector<Event>& out) {
    if (state_.budget.extended) return false;
    BudgetStatus status = budget_status(state_, context.now, context.watch);
    status.time.limit.reset();
    const std::uint64_t seconds = call_extension_seconds(state_);
    if (seconds == 0 || is_spent(status)) return false;
    BudgetExtended extended;
    extended.calls = calls_in_flight(state_);
    if (extended.calls.empty()) return false;
    extended.automatic = true;
    extended.added.timeout_seconds = seconds;
    extended.reason = "a call was in flight when the time ran out; it may finish";
    add(make_event(std::move(extended), context), out);
    return true;
}

void Session::heed_parent(const std::string& parent, BudgetLevel level, const Context& context,
                          std::vector<Event>& out) {
    const ParentBudget& told = *state_.budget.parent;
    if (state_.n == 0 || state_.ended() || told.level == level) return;
    const std::string& whose = level == BudgetLevel::kNominal ? told.session : parent;
    DirectiveIssued directive;
    directive.id = "d" + std::to_string(state_.n + 1);
    directive.kind = level == BudgetLevel::kExhausted ? DirectiveKind::kStop
                     : level == BudgetLevel::kNominal ? DirectiveKind::kContinue
                                                      : DirectiveKind::kWrapUp;
    directive.reason = parent_budget_advice(whose, level);
    directive.budget = level;
    directive.from = whose;
    add(make_event(std::move(directive), context), out);
}

void Session::end_by_budget(bool stepped, const Context& context, std::vector<Event>& out) {
    const BudgetStatus status = budget_status(state_, context.now, context.watch);
    SessionEnded end;
    end.automatic = true;
    end.outcome = Outcome::kBudgetExhausted;
    end.code = "budget_exhausted";
    end.reason = bounded_text("budget exhausted: " + budget_figures(status) +
                              (stepped ? ", and another step was taken after the stop" : ""));
    end.result = partial_result(state_.budget);
    add(make_event(std::move(end), context), out);
    HEADWAY_ASSERT(state_.ended());
    add_verdict(context, out);
}

}  // namespace headway::core
