// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/base/assert.hpp"
#include "core/budgets/budget.hpp"
#include "core/budgets/budget_text.hpp"
#include "core/session/session.hpp"
#include "core/session/session_command.hpp"
#include "core/session/session_family.hpp"

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
    const BudgetRules& rules = *state.about.budget_rules;
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
    const BudgetRules& rules = *state.about.budget_rules;
    const std::uint64_t limit = state.budget.limits.timeout_seconds.value_or(0);
    if (rules.timeout_seconds_max == 0 || limit > rules.timeout_seconds_max)
        return rules.in_flight_extension_seconds;
    HEADWAY_ASSERT(limit <= rules.timeout_seconds_max);
    return std::min(rules.in_flight_extension_seconds, rules.timeout_seconds_max - limit);
}

/// The extension that a request would add: dimensions without a limit need none, and the operator's
/// maximum bounds the rest.
BudgetLimits extension_of(const Command& command, const Approval& asked) {
    const SessionState& state = command.state();
    if (!asked.extend) return {};
    return within_bounds(
        state.budget.limits, *asked.extend,
        command.context().bounds != nullptr ? *command.context().bounds : kUnbounded);
}

/// Calls in flight when the time runs out get some extra time, once; not if another dimension is
/// exhausted too. Limit and advice stay as they are: the time is for finishing the call, not for
/// starting another.
bool extend_for_calls(Command& command) {
    const SessionState& state = command.state();
    if (state.budget.extended) return false;
    BudgetStatus status = budget_status(state, command.now(), command.context().watch);
    status.time.limit.reset();
    const std::uint64_t seconds = call_extension_seconds(state);
    if (seconds == 0 || is_spent(status)) return false;
    BudgetExtended extended;
    extended.calls = calls_in_flight(state);
    if (extended.calls.empty()) return false;
    extended.automatic = true;
    extended.added.timeout_seconds = seconds;
    extended.reason = "a call was in flight when the time ran out; it may finish";
    command.add(std::move(extended));
    return true;
}

void end_by_budget(Command& command, bool stepped) {
    const SessionState& state = command.state();
    const BudgetStatus status = budget_status(state, command.now(), command.context().watch);
    SessionEnded end;
    end.automatic = true;
    end.outcome = Outcome::kBudgetExhausted;
    end.code = "budget_exhausted";
    end.reason = bounded_text("budget exhausted: " + budget_figures(status) +
                              (stepped ? ", and another step was taken after the stop" : ""));
    end.result = partial_result(state.budget);
    command.add(std::move(end));
    HEADWAY_ASSERT(state.ended());
    add_verdict(command);
}

}  // namespace

Result<> Session::set_budget(BudgetSet set, const Context& context, std::vector<Event>& out) {
    Command command{*this, context, out};
    if (state_.ended()) return ended_error();
    credit_pause(command);
    command.add(std::move(set));
    add_budget_level(command);
    follow_budget(command, false, false);
    return {};
}

Result<> Session::extend_budget(const BudgetLimits& added, std::string by, std::string reason,
                                std::string approval, const Context& context,
                                std::vector<Event>& out) {
    Command command{*this, context, out};
    if (state_.ended()) return ended_error();
    const BudgetLimits& limits = state_.budget.limits;
    if (added.timeout_seconds && !limits.timeout_seconds) return no_limit("timeout_seconds");
    if (added.max_steps && !limits.max_steps) return no_limit("max_steps");
    if (added.max_tokens && !limits.max_tokens) return no_limit("max_tokens");
    if (added.max_cost_usd && !limits.max_cost_usd) return no_limit("max_cost_usd");
    BudgetExtended extended;
    extended.added = added;
    extended.by = std::move(by);
    extended.reason = std::move(reason);
    extended.approval = std::move(approval);
    add_extension(command, std::move(extended));
    return {};
}

Result<> check_extends(const Command& command, const Approval& asked) {
    const SessionState& state = command.state();
    if (!asked.extend || extension_of(command, asked) != BudgetLimits{}) return {};
    const bool limited =
        within_bounds(state.budget.limits, *asked.extend, kUnbounded) != BudgetLimits{};
    if (!limited) return {};
    return Error{ErrorCode::kInvalidField,
                 "the budget is at the configured maximum, so this approval would add nothing; "
                 "reject or ignore it, or raise the budget itself: POST /v1/sessions/" +
                     command.id() + "/budget with extend",
                 "/decision"};
}

void add_extension(Command& command, BudgetExtended extended) {
    HEADWAY_ASSERT(!command.state().ended());
    credit_pause(command);
    command.add(std::move(extended));
    add_budget_level(command);
    follow_budget(command, false, false);
}

void grant_extension(Command& command, const Approval& approved) {
    const SessionState& state = command.state();
    const BudgetLimits added = extension_of(command, approved);
    if (added == BudgetLimits{}) return;
    const Approval* decided = state.approvals.find(approved.n);
    BudgetExtended extended;
    extended.added = added;
    extended.approval = approval_id(command.id(), approved.n);
    if (decided != nullptr) {
        extended.by = decided->by;
        extended.reason = decided->reason;
    }
    if (added != within_bounds(state.budget.limits, *approved.extend, kUnbounded)) {
        std::string& reason = extended.reason;
        reason += (reason.empty() ? "" : "; ") + std::string{kUpToTheMaximum};
    }
    // The session is open, and every dimension left has a limit.
    add_extension(command, std::move(extended));
}

void Session::child_progress(ChildProgress progress, const Context& context,
                             std::vector<Event>& out) {
    Command command{*this, context, out};
    if (state_.ended() || !child_moved(state_.budget, progress)) return;
    credit_pause(command);
    const FanOut before = fan_out_of(state_.budget);
    command.add(std::move(progress));
    note_fan_out(command, before, state_.n);
    add_budget_level(command);
    follow_budget(command, false, false);
}

void credit_pause(Command& command) {
    const SessionState& state = command.state();
    if (!state.budget.limits.timeout_seconds || !time_counts(state)) return;
    const Millis gap = unheard_gap(state, command.context().watch);
    if (gap == Millis{0}) return;
    HEADWAY_ASSERT(gap > Millis{0});
    BudgetExtended credit;
    credit.automatic = true;
    credit.credited_ms = static_cast<std::uint64_t>(gap.count());
    credit.reason =
        "Headway was not listening for " + std::to_string(gap.count()) + " ms; they do not count";
    command.add(std::move(credit));
}

void add_budget_level(Command& command) {
    const SessionState& state = command.state();
    const bool was_limited = state.budget.level != BudgetLevel::kNominal;
    if ((!state.budget.limited() && !was_limited) || state.ended()) return;
    const BudgetStatus status = budget_status(state, command.now(), command.context().watch);
    if (status.level == state.budget.level) return;
    BudgetLevelChanged change;
    change.from = state.budget.level;
    change.to = status.level;
    change.dimension = status.dimension;
    change.pressure = status.pressure;
    change.elapsed_seconds = status.elapsed_seconds();
    change.remaining_seconds = status.remaining_seconds();
    change.steps_completed = status.steps.used;
    change.steps_remaining = status.steps_remaining();
    command.add(change);
}

void add_budget_update(Command& command) {
    const SessionState& state = command.state();
    if (!state.about.budget_rules->updates || !state.budget.limited() || state.ended()) return;
    const BudgetStatus status = budget_status(state, command.now(), command.context().watch);
    BudgetUpdated update;
    update.elapsed_seconds = status.elapsed_seconds();
    update.remaining_seconds = status.remaining_seconds();
    update.current_step = status.steps.used;
    update.max_steps = status.steps.limit;
    update.time_pressure = shown_percent(status.time.percent());
    update.step_pressure = shown_percent(status.steps.percent());
    update.level = status.level;
    command.add(update);
}

void follow_budget(Command& command, bool asked, bool stepped) {
    const SessionState& state = command.state();
    if (!state.budget.limited() || state.ended()) return;
    const BudgetStatus status = budget_status(state, command.now(), command.context().watch);
    const bool spent = is_spent(status);
    stepped = stepped && !waits_for_extension(status);
    const bool extended = spent && !stepped && extend_for_calls(command);
    if (!extended && (spent || stepped)) {
        end_by_budget(command, stepped && !spent);
        return;
    }
    if (state.budget.level == state.budget.told_level) return;
    const BudgetStatus now = budget_status(state, command.now(), command.context().watch);
    DirectiveIssued directive;
    directive.id = "d" + std::to_string(state.n + 1);
    directive.kind =
        now.level == BudgetLevel::kExhausted ? DirectiveKind::kStop : DirectiveKind::kWrapUp;
    directive.reason = budget_advice(now);
    HEADWAY_ASSERT(!directive.reason.empty());
    directive.budget = now.level;
    directive.unasked = !asked;
    command.add(std::move(directive));
}

void Session::heed_parent(const std::string& parent, BudgetLevel level, const Context& context,
                          std::vector<Event>& out) {
    Command command{*this, context, out};
    const ParentBudget& parent_budget = *state_.budget.parent;
    if (state_.n == 0 || state_.ended() || parent_budget.level == level) return;
    const std::string& whose = level == BudgetLevel::kNominal ? parent_budget.session : parent;
    DirectiveIssued directive;
    directive.id = "d" + std::to_string(state_.n + 1);
    directive.kind = level == BudgetLevel::kExhausted ? DirectiveKind::kStop
                     : level == BudgetLevel::kNominal ? DirectiveKind::kContinue
                                                      : DirectiveKind::kWrapUp;
    directive.reason = parent_budget_advice(whose, level);
    directive.budget = level;
    directive.from = whose;
    command.add(std::move(directive));
}

}  // namespace headway::core
