// SPDX-License-Identifier: Apache-2.0
#include "core/session/session.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/budgets/budget.hpp"
#include "core/budgets/day_budget.hpp"
#include "core/events/state_machine.hpp"
#include "core/fold/fold.hpp"
#include "core/fold/fold_advice.hpp"
#include "core/judgement/failure.hpp"
#include "core/judgement/recovery.hpp"
#include "core/judgement/resolver.hpp"
#include "core/session/approval_asks.hpp"
#include "core/session/session_command.hpp"
#include "core/session/session_family.hpp"
#include "core/state/completion.hpp"
#include "core/state/legacy_comparison.hpp"
#include "core/values/liveness.hpp"

namespace headway::core {
namespace {

/// Only approvals compare exact arguments. Without approvals they need no space on disk.
void forget_args(Event& event) {
    auto* call = std::get_if<ToolFinished>(&event.payload);
    if (call == nullptr || !call->fingerprint) return;
    call->fingerprint->args_start = {};
    call->fingerprint->args_end = {};
}

/// Approvals of other sessions may have the same numbers as those of `session`.
void note_other_session(const std::string& session, Event& event) {
    auto* read = std::get_if<DirectiveAcknowledged>(&event.payload);
    if (read == nullptr) return;
    const auto ref = parse_approval_id(read->id);
    read->of_other = ref && ref->session != session;
}

/// Place of the first event of a report that an ended grant must not allow: a request, or the start
/// of a call that this report does not end. A call that ends here may have run before the grant
/// ended, during a pause of Headway. 0 if no call ends here; else the size if there is none.
std::size_t first_beyond_grants(std::span<const Event> events) {
    std::unordered_set<std::string_view> ended;
    for (const Event& event : events) {
        if (const auto* end = std::get_if<ToolFinished>(&event.payload)) ended.insert(end->call_id);
    }
    if (ended.empty()) return 0;
    const auto found = std::find_if(events.begin(), events.end(), [&ended](const Event& event) {
        if (std::holds_alternative<ApprovalRequested>(event.payload)) return true;
        const auto* start = std::get_if<ToolStarted>(&event.payload);
        return start != nullptr && (start->call_id.empty() || !ended.contains(start->call_id));
    });
    return static_cast<std::size_t>(found - events.begin());
}

EstimatePtr shared_estimate(const SessionState& state) {
    const CurrentEstimate& current = state.estimates->current;
    return current.n == 0 ? nullptr : std::make_shared<CurrentEstimate>(current);
}

}  // namespace

Session::Session(std::string id) : id_(std::move(id)) {}

Session::Session(std::string id, SessionState state)
    : id_(std::move(id)), state_(std::move(state)), estimate_(shared_estimate(state_)) {}

Session::Session(const Session& other) = default;
Session::Session(Session&& other) noexcept = default;
Session& Session::operator=(const Session& other) = default;
Session& Session::operator=(Session&& other) noexcept = default;
Session::~Session() = default;

Result<> Session::admit(std::span<const Event> events) const {
    std::uint32_t attempt = state_.attempt;
    bool ended = state_.ended();
    std::size_t requests = 0;
    for (const Event& event : events) {
        if (std::holds_alternative<ApprovalRequested>(event.payload)) ++requests;
        if (event.attempt != 0 && event.attempt < attempt) {
            return Error{ErrorCode::kStaleAttempt,
                         "attempt " + std::to_string(event.attempt) +
                             " was taken over by attempt " + std::to_string(attempt) +
                             "; this process should stop",
                         "/attempt"};
        }
        if (ended) return ended_error(state_);
        const auto* end = std::get_if<SessionEnded>(&event.payload);
        // Without a budget here, the agent may have one of its own.
        if (end != nullptr && end->outcome == Outcome::kBudgetExhausted &&
            state_.budget.limited() && state_.budget.level != BudgetLevel::kExhausted) {
            return Error{ErrorCode::kInvalidField,
                         "the budget of this session is not exhausted; end it with completed, "
                         "failed or cancelled",
                         "/outcome"};
        }
        attempt = std::max(attempt, event.attempt);
        ended = std::holds_alternative<SessionEnded>(event.payload);
    }
    return requests == 0 ? Result<>{} : check_room(state_, requests);
}

void Session::report(std::span<Event> events, const Context& context, std::vector<Event>& out) {
    Command command{*this, context, out};
    Failure failure;
    const bool stop_sent = state_.budget.stop_sent;
    const std::uint64_t steps = own_steps(state_);
    const std::size_t first = out.size();
    credit_pause(command);
    const std::size_t lapse = first_beyond_grants(events);
    for (std::size_t place = 0; place < events.size(); ++place) {
        Event& event = events[place];
        if (place == lapse) end_lapsed(context, out);
        event.at = context.now;
        note_other_session(id_, event);
        if (auto* asked = std::get_if<ApprovalRequested>(&event.payload))
            asked->source = context.of_daemon ? kOwnSource : "agent";
        if (auto* estimate = std::get_if<ProgressEstimated>(&event.payload)) {
            sign_as_agent(*estimate);
            estimate->calls = state_.tool_calls;
            estimate->is_stuck = makes_no_way(*state_.estimates, *estimate);
        }
        note_state(state_, event);
        const std::size_t at = out.size();
        const std::uint64_t calls = state_.tool_calls;
        const std::uint64_t step = own_steps(state_);
        std::optional<ApprovalAlarm> alarm = alarm_before(command, event);
        const std::uint64_t dialog = dialog_before(command, event);
        // A start that waits for a reply or asks for approval is a question, not disobedience.
        if (std::holds_alternative<ToolStarted>(event.payload) &&
            (context.of_hook || asks_anew(state_, context.asks, place, context.now)))
            alarm.reset();
        if (state_.approvals.requests.empty()) forget_args(event);
        command.append(std::move(event));
        if (state_.tool_calls != calls) add_stats(command);
        if (alarm) add_alarm(command, *std::move(alarm), out[at].n);
        if (dialog != 0) close_dialog(command, dialog, ApprovalClosing::kAnsweredAtAgent);
        if (std::holds_alternative<ApprovalRequested>(out[at].payload)) settle(command, out[at].n);
        ask_for_call(command, place);
        add_verdict(command, state_.last_tier);
        if (state_.about.recorded) continue;  // no agent is there to advise, limit or end
        add_advice(command);
        add_budget_level(command);
        if (own_steps(state_) > step) add_budget_update(command);
        if (failure.code.empty() && !state_.ended()) failure = failure_of(state_, out[at].payload);
    }
    HEADWAY_ASSERT(out.size() >= first + events.size());
    if (state_.about.recorded) return;
    add_due_check(command);
    end_itself(command, std::move(failure));
    follow_budget(command, true, stop_sent && own_steps(state_) > steps);
    if (!out.empty() && !state_.ended()) {
        Event& last = out.back();
        ask_interval(state_, context, last);
        if (last.next_heartbeat_ms != 0) state_.asked_interval = Millis{last.next_heartbeat_ms};
    }
}

Result<> Session::cancel(std::string reason, const Context& context, std::vector<Event>& out) {
    Command command{*this, context, out};
    if (state_.ended()) return ended_error(state_);
    const auto& directives = state_.directives;
    const bool asked = std::any_of(directives.begin(), directives.end(), [](const Directive& d) {
        return d.kind == DirectiveKind::kStop && !d.acknowledged;
    });
    if (state_.cancel_requested && asked) return {};
    credit_pause(command);
    if (!state_.cancel_requested) command.add(CancelRequested{reason});
    direct(command, DirectiveKind::kStop,
           reason.empty() ? "cancelled by the operator" : std::move(reason), {});
    // A cancel cannot be lifted, so no decision has an effect any more.
    if (!state_.waits_for_human()) return {};
    close_all_pending(command, ApprovalClosing::kStopped);
    add_verdict(command);
    return {};
}

Result<> Session::pause(std::string reason, std::string by, const Context& context,
                        std::vector<Event>& out) {
    Command command{*this, context, out};
    if (state_.ended()) return ended_error(state_);
    // A person's pause takes the place of one by the budget of the day, which ends by itself.
    if (state_.paused() && (!state_.paused_for_day || is_day_pause(reason))) return {};
    credit_pause(command);
    direct(command, DirectiveKind::kPause,
           reason.empty() ? "paused by the operator" : std::move(reason), std::move(by));
    add_verdict(command);
    return {};
}

Result<> Session::resume(std::string reason, std::string by, const Context& context,
                         std::vector<Event>& out) {
    Command command{*this, context, out};
    if (state_.ended()) return ended_error(state_);
    const bool lifts = is_stopped() && reason != kDayReleased;
    if (!state_.paused() && !lifts) return {};
    credit_pause(command);
    direct(command, DirectiveKind::kContinue,
           reason.empty() ? "resumed by the operator" : std::move(reason), std::move(by));
    add_verdict(command);
    return {};
}

bool Session::is_stopped() const {
    const auto& directives = state_.directives;
    return state_.stopped ||
           std::any_of(directives.begin(), directives.end(),
                       [this](const Directive& one) { return is_liftable(state_, one); });
}

void Session::stay_stopped(const Session& before, const Context& context, std::vector<Event>& out) {
    Command command{*this, context, out};
    HEADWAY_ASSERT(before.state_.stopped);
    if (state_.ended()) return;  // its limits were used up from the beginning
    DirectiveIssued stop =
        next_directive(command, DirectiveKind::kStop,
                       "A person rejected a call of " + before.id() + " and stopped it; " + id_ +
                           " goes on only after a person resumes it.");
    stop.rejects = true;
    command.add(std::move(stop));
    add_verdict(command);
}

Result<> Session::nudge(std::string text, std::string by, const Context& context,
                        std::vector<Event>& out) {
    Command command{*this, context, out};
    if (state_.ended()) return ended_error(state_);
    credit_pause(command);
    direct(command, DirectiveKind::kChangeApproach, std::move(text), std::move(by));
    return {};
}

void Session::note_rejection(DirectiveIssued no, const Context& context, std::vector<Event>& out) {
    Command command{*this, context, out};
    if (state_.n == 0 || state_.about.recorded) return;
    no.id = "d" + std::to_string(state_.n + 1);
    command.add(std::move(no));
}

void Session::note_conflict(RunConflict conflict, const Context& context, std::vector<Event>& out) {
    Command command{*this, context, out};
    if (state_.ended()) return;
    command.add(std::move(conflict));
    add_verdict(command);
    add_advice(command);
}

void Session::tick(const Context& context, std::vector<Event>& out) {
    Command command{*this, context, out};
    if (state_.n == 0 || state_.ended() || state_.about.recorded) return;
    credit_pause(command);
    complete_as_said(command);
    if (state_.ended()) return;
    add_overdue(command);
    add_verdict(command);
    add_budget_level(command);
    follow_budget(command, false, false);
    if (state_.ended()) return;
    const Timestamp alone = orphan_ends_at(state_, context.watch);
    if (alone != kNever && context.now >= alone) return end_with_parent(command);
    const Timestamp due = legacy_end(state_, context.watch);
    if (due == kNever || context.now < due) return;
    end_itself(command,
               {"legacy_timeout", "the old session timer of " +
                                      std::to_string(state_.policy->legacy.session.count() / 1000) +
                                      " s is in force"});
}

void Session::agent_gone(const Context& context, std::vector<Event>& out) {
    Command command{*this, context, out};
    if (state_.n == 0 || state_.ended()) return;
    credit_pause(command);
    const bool rests = state_.agent_state == AgentState::kIdle && !state_.call_in_flight() &&
                       !stopped_by_provider(state_);
    SessionEnded end;
    end.automatic = true;
    end.outcome = rests ? Outcome::kCompleted : Outcome::kFailed;
    if (state_.cancel_requested || (rests && state_.stopped)) end.outcome = Outcome::kCancelled;
    if (end.outcome == Outcome::kFailed) end.code = kAgentGone;
    end.reason = bounded_text("the process of the agent has ended");
    command.add(std::move(end));
    HEADWAY_ASSERT(state_.ended());
    add_verdict(command);
}

void Session::apply(const Event& event) {
    core::apply(state_, event);
    if (std::holds_alternative<ProgressEstimated>(event.payload))
        estimate_ = shared_estimate(state_);
}

Timestamp Session::next_deadline(const Watch& watch, Timestamp past, bool agent_runs) const {
    if (state_.n == 0 || state_.ended() || state_.about.recorded) return kNever;
    Timestamp next = kNever;
    const auto consider = [&next, past](Timestamp due) {
        if (due > past && (next == kNever || due < next)) next = due;
    };
    const Timestamp due = silent_at(state_.heard_at(), watch, state_.asked_interval, agent_runs);
    // Beyond silence nothing happens by time alone; the agent's next event ends it. The silence of
    // an agent that waits for a person means nothing.
    const bool silence_known =
        state_.judgement->detector == "liveness" && state_.judgement->since >= due;
    const bool held = state_.waits_for_human() || state_.paused();
    if (!silence_known && !held) consider(due);
    // The work of its process is the difference of two looks.
    if (agent_runs && !held)
        consider(silence_known ? std::max(state_.judgement->since, past) + Millis{kProcessLookEvery}
                               : due - Millis{kProcessLookEvery});
    consider(core::next_deadline(state_.approvals, attendance(state_, watch)));
    consider(legacy_end(state_, watch));
    consider(orphan_ends_at(state_, watch));
    consider(completion_at(state_, watch));
    consider(budget_deadline(state_, watch));
    HEADWAY_ASSERT(next == kNever || next > past);
    return next;
}

void Session::append(Event event, std::vector<Event>& out) {
    event.n = state_.n + 1;
    out.push_back(std::move(event));
    apply(out.back());
    HEADWAY_ASSERT(out.back().n == state_.n);
    if (!state_.approvals.requests.empty()) note_changed_approvals();
}

}  // namespace headway::core
