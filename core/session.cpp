// SPDX-License-Identifier: Apache-2.0
#include "core/session.hpp"

#include <algorithm>
#include <utility>

#include "core/approval_asks.hpp"
#include "core/assert.hpp"
#include "core/budget.hpp"
#include "core/completion.hpp"
#include "core/failure.hpp"
#include "core/fold.hpp"
#include "core/lattice.hpp"
#include "core/limits.hpp"
#include "core/liveness.hpp"
#include "core/recovery.hpp"
#include "core/session_event.hpp"
#include "core/state_machine.hpp"

namespace headway::core {
namespace {

static_assert(kHeartbeatIntervalMax.count() <= UINT32_MAX, "Event::next_heartbeat_ms holds it");

/// True if the model is at work, by phase or state.
bool is_reflecting(const SessionState& state) {
    return state.phase == "reflection" || state.agent_state == AgentState::kProcessingPrompt ||
           state.agent_state == AgentState::kStreamingResponse;
}

/// Only approvals compare exact arguments. Without approvals they need no space on disk.
void forget_args(Event& event) {
    auto* call = std::get_if<ToolFinished>(&event.payload);
    if (call == nullptr || !call->print) return;
    call->print->args_start = {};
    call->print->args_end = {};
}

EstimatePtr shared_estimate(const SessionState& state) {
    const CurrentEstimate& current = state.estimates->current;
    return current.n == 0 ? nullptr : std::make_shared<CurrentEstimate>(current);
}

}  // namespace

Session::Session(std::string id) : id_(std::move(id)), judgement_(std::make_shared<Judgement>()) {}

Session::Session(std::string id, SessionState state)
    : id_(std::move(id)),
      state_(std::move(state)),
      judgement_(std::make_shared<Judgement>(state_.judgement)),
      estimate_(shared_estimate(state_)) {}

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
    return requests == 0 ? Result<>{} : admit_requests(requests);
}

void Session::report(std::span<Event> events, const Context& context, std::vector<Event>& out) {
    Failure failure;
    const bool told = state_.budget.told;
    const std::uint64_t steps = own_steps(state_);
    const std::size_t first = out.size();
    credit_pause(context, out);
    for (std::size_t place = 0; place < events.size(); ++place) {
        Event& event = events[place];
        event.at = context.now;
        if (auto* asked = std::get_if<ApprovalRequested>(&event.payload)) asked->source = "agent";
        if (auto* said = std::get_if<ProgressEstimated>(&event.payload)) {
            sign_as_agent(*said);
            said->calls = state_.tool_calls;
        }
        note_state(event);
        const std::size_t at = out.size();
        const std::uint64_t calls = state_.tool_calls;
        const std::uint64_t step = own_steps(state_);
        std::optional<ApprovalAlarm> alarm = alarm_before(event, context);
        // A start that asks for approval is a question, not disobedience.
        if (std::holds_alternative<ToolStarted>(event.payload) &&
            asks_anew(state_, context.asks, place, context.now))
            alarm.reset();
        if (state_.approvals.requests.empty()) forget_args(event);
        add(std::move(event), out);
        if (state_.tool_calls != calls) add_stats(context, out);
        if (alarm) add_alarm(*std::move(alarm), out[at].n, context, out);
        if (std::holds_alternative<ApprovalRequested>(out[at].payload))
            settle(out[at].n, context, out);
        ask_for_call(place, context, out);
        add_verdict(context, out, state_.last_tier);
        add_advice(context, out);
        add_budget_level(context, out);
        if (own_steps(state_) > step) add_budget_update(context, out);
        if (failure.code.empty() && !state_.ended()) failure = failure_of(state_, out[at].payload);
    }
    HEADWAY_ASSERT(out.size() >= first + events.size());
    add_due_check(context, out);
    end_itself(std::move(failure), context, out);
    follow_budget(true, told && own_steps(state_) > steps, context, out);
    if (!out.empty() && !state_.ended()) {
        Event& last = out.back();
        ask_interval(context, last);
        if (last.next_heartbeat_ms != 0) state_.asked_interval = Millis{last.next_heartbeat_ms};
    }
}

Result<> Session::cancel(std::string reason, const Context& context, std::vector<Event>& out) {
    if (state_.ended()) return ended_error(state_);
    if (state_.cancel_requested) return {};
    credit_pause(context, out);
    add(make_event(CancelRequested{reason}, context), out);
    direct(DirectiveKind::kStop, reason.empty() ? "cancelled by the operator" : std::move(reason),
           {}, context, out);
    return {};
}

Result<> Session::pause(std::string reason, std::string by, const Context& context,
                        std::vector<Event>& out) {
    if (state_.ended()) return ended_error(state_);
    if (state_.paused()) return {};
    credit_pause(context, out);
    direct(DirectiveKind::kPause, reason.empty() ? "paused by the operator" : std::move(reason),
           std::move(by), context, out);
    add_verdict(context, out);
    return {};
}

Result<> Session::resume(std::string reason, std::string by, const Context& context,
                         std::vector<Event>& out) {
    if (state_.ended()) return ended_error(state_);
    if (!state_.paused()) return {};
    credit_pause(context, out);
    direct(DirectiveKind::kContinue, reason.empty() ? "resumed by the operator" : std::move(reason),
           std::move(by), context, out);
    add_verdict(context, out);
    return {};
}

Result<> Session::nudge(std::string text, std::string by, const Context& context,
                        std::vector<Event>& out) {
    if (state_.ended()) return ended_error(state_);
    credit_pause(context, out);
    direct(DirectiveKind::kChangeApproach, std::move(text), std::move(by), context, out);
    return {};
}

void Session::note_conflict(RunConflict conflict, const Context& context, std::vector<Event>& out) {
    if (state_.ended()) return;
    add(make_event(std::move(conflict), context), out);
    add_verdict(context, out);
    add_advice(context, out);
}

void Session::tick(const Context& context, std::vector<Event>& out) {
    if (state_.n == 0 || state_.ended()) return;
    credit_pause(context, out);
    complete_as_said(context, out);
    if (state_.ended()) return;
    add_overdue(context, out);
    add_verdict(context, out);
    add_budget_level(context, out);
    follow_budget(false, false, context, out);
    if (state_.ended()) return;
    const Timestamp due = legacy_end(state_, context.watch);
    if (due == kNever || context.now < due) return;
    end_itself({"legacy_timeout", "the old session timer of " +
                                      std::to_string(state_.policy.legacy.session.count() / 1000) +
                                      " s is in force"},
               context, out);
}

void Session::apply(const Event& event) {
    const Timestamp since = state_.judgement.since;
    core::apply(state_, event);
    if (state_.judgement.since != since || std::holds_alternative<VerdictChanged>(event.payload)) {
        judgement_ = std::make_shared<Judgement>(state_.judgement);
    }
    if (std::holds_alternative<ProgressEstimated>(event.payload))
        estimate_ = shared_estimate(state_);
}

Timestamp Session::next_deadline(const Watch& watch, Timestamp past) const {
    if (state_.n == 0 || state_.ended()) return kNever;
    Timestamp next = kNever;
    const auto consider = [&next, past](Timestamp due) {
        if (due > past && (next == kNever || due < next)) next = due;
    };
    const Timestamp due = silent_at(state_.heard_at(), watch, state_.asked_interval);
    // Beyond silence nothing happens by time alone; the agent's next event ends it. The silence of
    // an agent that waits for a person means nothing.
    const bool said = state_.judgement.detector == "liveness" && state_.judgement.since >= due;
    if (!said && !state_.waits_for_human() && !state_.paused()) consider(due);
    consider(core::next_deadline(state_.approvals, attendance(watch)));
    consider(legacy_end(state_, watch));
    consider(completion_at(state_, watch));
    consider(budget_deadline(state_, watch));
    HEADWAY_ASSERT(next == kNever || next > past);
    return next;
}

void Session::add(Event event, std::vector<Event>& out) {
    event.n = state_.n + 1;
    out.push_back(std::move(event));
    apply(out.back());
    HEADWAY_ASSERT(out.back().n == state_.n);
    if (!state_.approvals.requests.empty()) note_changed_approvals();
}

void Session::add_verdict(const Context& context, std::vector<Event>& out, Tier tier) {
    const Surroundings around{context.now, context.watch, context.children_work};
    const Verdict verdict = verdict_of(state_, around);
    if (verdict == state_.judgement.verdict) return;
    Judgement next = judge(state_, around);
    HEADWAY_ASSERT(next.verdict == verdict);
    VerdictChanged change;
    change.from = state_.judgement.verdict;
    change.to = next.verdict;
    change.reason = std::move(next.reason);
    change.detector = std::move(next.detector);
    change.evidence = std::move(next.evidence);
    change.detectors = std::move(next.detectors);
    change.confidence = next.confidence;
    change.loop = std::move(next.loop);
    change.tier = tier;
    add(make_event(std::move(change), context), out);
}

void Session::add_advice(const Context& context, std::vector<Event>& out) {
    std::optional<RecoveryStep> step = next_recovery_step(state_, may_stop(context, out));
    if (!step) return;
    DirectiveIssued directive;
    directive.id = "d" + std::to_string(state_.n + 1);
    directive.kind = step->kind;
    directive.reason = std::move(step->text);
    directive.evidence = state_.judgement.evidence;
    directive.loop = state_.judgement.loop;
    directive.step = step->step;
    HEADWAY_ASSERT(directive.step != 0 && !directive.reason.empty());
    const std::string asked = directive.reason;
    Event event = make_event(std::move(directive), context);
    const bool halts = step->kind == DirectiveKind::kStop;
    if (halts) move_to(AgentState::kHalted, event);
    add(std::move(event), out);
    if (step->step != kStepAsk || !admit_requests(1)) return;
    ApprovalRequested question;
    question.kind = ApprovalKind::kQuestion;
    question.summary = bounded_text(asked);
    question.source = "headway";
    ask(std::move(question), context, out);
    add_verdict(context, out);
}

void Session::end_itself(Failure failure, const Context& context, std::vector<Event>& out) {
    if (state_.ended()) return;
    const bool halts = state_.judgement.verdict == Verdict::kStuck &&
                       state_.policy.when_stuck() == OnStuck::kHalt && may_stop(context, out);
    if (failure.code.empty() && !halts) return;
    SessionEnded end;
    end.automatic = true;
    const bool failed = !failure.code.empty();
    end.outcome = failed ? Outcome::kFailed : Outcome::kHalted;
    end.code = failed ? std::move(failure.code) : "stuck";
    end.reason = bounded_text(failed ? std::move(failure.reason) : state_.judgement.reason);
    add(make_event(std::move(end), context), out);
    HEADWAY_ASSERT(state_.ended());
    add_verdict(context, out);
}

/// True if a stop that the policy requires may be issued now; asks a judge first if the policy says
/// so.
bool Session::may_stop(const Context& context, std::vector<Event>& out) {
    const bool stops = state_.judgement.verdict == Verdict::kStuck && !state_.ended() &&
                       state_.policy.when_stuck() >= OnStuck::kStop;
    if (!stops) return true;
    const StopGate gate = stop_gate(state_, context.judge);
    if (gate == StopGate::kAsk) add_check(CheckCause::kStop, {}, "headway", context, out);
    return gate == StopGate::kGo;
}

/// The agent claimed completion and was quiet since.
void Session::complete_as_said(const Context& context, std::vector<Event>& out) {
    const Timestamp due = completion_at(state_, context.watch);
    if (due == kNever || context.now < due) return;
    SessionEnded end;
    end.automatic = true;
    end.outcome = Outcome::kCompleted;
    end.code = "task_complete";
    end.reason = bounded_text("the agent said that its task is complete (#" +
                              std::to_string(state_.claim.n) + ")");
    add(make_event(std::move(end), context), out);
    HEADWAY_ASSERT(state_.ended());
    add_verdict(context, out);
}

void Session::direct(DirectiveKind kind, std::string reason, std::string by, const Context& context,
                     std::vector<Event>& out) {
    DirectiveIssued directive;
    directive.id = "d" + std::to_string(state_.n + 1);
    directive.kind = kind;
    directive.reason = std::move(reason);
    directive.by = std::move(by);
    add(make_event(std::move(directive), context), out);
}

void Session::add_stats(const Context& context, std::vector<Event>& out) {
    const std::uint32_t every = state_.policy.stats_every;
    if (every == 0 || state_.tool_calls % every != 0) return;
    HEADWAY_ASSERT(state_.tool_calls > 0);
    ProgressStats stats;
    stats.tool_calls = state_.tool_calls;
    stats.successes = state_.recent_successes;
    stats.failures = state_.recent_failures;
    stats.files_modified = state_.files_modified;
    add(make_event(stats, context), out);
}

void Session::note_state(Event& event) const {
    const AgentState now = state_.agent_state.value_or(AgentState::kIdle);
    if (auto* change = std::get_if<StateChanged>(&event.payload)) {
        change->from = now;
        change->invalid = !valid_transition(now, change->state);
        move_to(change->state, event);
        return;
    }
    // While a person is being asked, the agent's state is awaiting permission, regardless of other
    // work.
    const bool ends = std::holds_alternative<SessionEnded>(event.payload);
    if (state_.waits_for_human() && !ends) return;
    if (const auto implied = implied_state(event.payload)) move_to(*implied, event);
}

/// Sets the state on the event, unless the agent is already in it.
void Session::move_to(AgentState state, Event& event) const {
    if (state == state_.agent_state) return;
    event.state = state;
    event.from = state_.agent_state.value_or(AgentState::kIdle);
}

void Session::ask_interval(const Context& context, Event& event) const {
    Attention attention;
    attention.call_in_flight = state_.call_in_flight();
    attention.watched = context.watched;
    attention.reflecting = is_reflecting(state_);
    attention.load = context.load;
    const Millis asked = next_heartbeat(state_.policy, attention);
    HEADWAY_ASSERT(asked >= kHeartbeatIntervalMin && asked <= kHeartbeatIntervalMax);
    if (asked != state_.asked_interval) {
        event.next_heartbeat_ms = static_cast<std::uint32_t>(asked.count());
    }
}

}  // namespace headway::core
