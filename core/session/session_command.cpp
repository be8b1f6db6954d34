// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_command.hpp"

#include <utility>

#include "core/base/assert.hpp"
#include "core/events/state_machine.hpp"
#include "core/fold/fold.hpp"
#include "core/fold/fold_phase.hpp"
#include "core/judgement/recovery.hpp"
#include "core/judgement/resolver.hpp"
#include "core/state/completion.hpp"
#include "core/values/liveness.hpp"

namespace headway::core {
namespace {

static_assert(kHeartbeatIntervalMax.count() <= UINT32_MAX, "Event::next_heartbeat_ms holds it");

/// True if a stop that the policy requires may be issued now; asks a judge first if the policy says
/// so.
bool may_stop(Command& command) {
    const SessionState& state = command.state();
    const bool stops = state.judgement->verdict == Verdict::kStuck && !state.ended() &&
                       state.policy->when_stuck() >= OnStuck::kStop;
    if (!stops) return true;
    const StopGate gate = stop_gate(state, command.context().judge);
    if (gate == StopGate::kAsk) add_check(command, CheckCause::kStop, {}, "headway");
    return gate == StopGate::kGo;
}

}  // namespace

void add_verdict(Command& command, Tier tier) {
    const SessionState& state = command.state();
    const VerdictContext around{command.now(), command.context().watch,
                                command.context().children_work, command.context().agent_runs,
                                command.context().agent_works};
    const Verdict verdict = verdict_of(state, around);
    const bool needs = needs_somebody(state, verdict, command.now());
    const Judgement& before = *state.judgement;
    const bool same = verdict == before.verdict && needs == before.needs_somebody &&
                      block_of(state, verdict) == Block{before.cause, before.retry_at};
    if (same && verdict != Verdict::kWaiting) return;
    Judgement next = judge(state, around);
    if (!is_news(before, next)) return;
    HEADWAY_ASSERT(next.verdict == verdict);
    VerdictChanged change;
    change.from = state.judgement->verdict;
    change.to = next.verdict;
    change.reason = std::move(next.reason);
    change.detector = std::move(next.detector);
    change.evidence = std::move(next.evidence);
    change.detectors = std::move(next.detectors);
    change.confidence = next.confidence;
    change.loop = std::move(next.loop);
    change.tier = tier;
    change.needs_somebody = needs;
    change.cause = next.cause;
    change.retry_at = next.retry_at;
    command.add(std::move(change));
}

void add_advice(Command& command) {
    const SessionState& state = command.state();
    std::optional<RecoveryStep> step = next_recovery_step(state, may_stop(command));
    if (!step) return;
    DirectiveIssued directive;
    directive.id = "d" + std::to_string(state.n + 1);
    directive.kind = step->kind;
    directive.reason = std::move(step->text);
    directive.evidence = state.judgement->evidence;
    directive.loop = state.judgement->loop;
    directive.step = step->step;
    HEADWAY_ASSERT(directive.step != 0 && !directive.reason.empty());
    const std::string asked = directive.reason;
    Event event = make_event(std::move(directive), command.now());
    const bool halts = step->kind == DirectiveKind::kStop;
    if (halts) move_to(state, AgentState::kHalted, event);
    command.append(std::move(event));
    if (step->step != kStepAsk || !state.approvals.has_own_room()) return;
    ApprovalRequested question;
    question.kind = ApprovalKind::kQuestion;
    question.summary = bounded_text(asked);
    question.source = kOwnSource;
    ask(command, std::move(question));
    add_verdict(command);
}

void end_itself(Command& command, Failure failure) {
    const SessionState& state = command.state();
    if (state.ended()) return;
    const bool halts = state.judgement->verdict == Verdict::kStuck &&
                       state.policy->when_stuck() == OnStuck::kHalt && may_stop(command);
    if (failure.code.empty() && !halts) return;
    SessionEnded end;
    end.automatic = true;
    const bool failed = !failure.code.empty();
    end.outcome = failed ? Outcome::kFailed : Outcome::kHalted;
    end.code = failed ? std::move(failure.code) : "stuck";
    end.reason = bounded_text(failed ? failure.reason : state.judgement->reason);
    command.add(std::move(end));
    HEADWAY_ASSERT(state.ended());
    add_verdict(command);
}

void complete_as_said(Command& command) {
    const SessionState& state = command.state();
    const Timestamp due = completion_at(state, command.context().watch);
    if (due == kNever || command.now() < due) return;
    SessionEnded end;
    end.automatic = true;
    end.outcome = Outcome::kCompleted;
    end.code = "task_complete";
    end.reason = bounded_text("the agent reported that its task is complete (#" +
                              std::to_string(state.claim.n) + ")");
    command.add(std::move(end));
    HEADWAY_ASSERT(state.ended());
    add_verdict(command);
}

DirectiveIssued next_directive(const Command& command, DirectiveKind kind, std::string reason) {
    DirectiveIssued directive;
    directive.id = "d" + std::to_string(command.state().n + 1);
    directive.kind = kind;
    directive.reason = std::move(reason);
    return directive;
}

void direct(Command& command, DirectiveKind kind, std::string reason, std::string by) {
    DirectiveIssued directive = next_directive(command, kind, std::move(reason));
    directive.by = std::move(by);
    command.add(std::move(directive));
}

void add_stats(Command& command) {
    const SessionState& state = command.state();
    const std::uint32_t every = state.policy->stats_every;
    if (every == 0 || state.tool_calls % every != 0) return;
    HEADWAY_ASSERT(state.tool_calls > 0);
    ProgressStats stats;
    stats.tool_calls = state.tool_calls;
    stats.successes = state.recent_successes;
    stats.failures = state.recent_failures;
    stats.files_modified = state.files_modified;
    command.add(stats);
}

void note_state(const SessionState& state, Event& event) {
    const AgentState now = state.agent_state.value_or(AgentState::kIdle);
    if (auto* change = std::get_if<StateChanged>(&event.payload)) {
        change->from = now;
        change->invalid = !valid_transition(now, change->state);
        move_to(state, change->state, event);
        return;
    }
    // While a person is being asked, the agent's state is awaiting permission, regardless of other
    // work.
    const bool ends = std::holds_alternative<SessionEnded>(event.payload);
    if (state.waits_for_human() && !ends) return;
    if (const auto implied = implied_state(event.payload)) move_to(state, *implied, event);
}

void move_to(const SessionState& state, AgentState next, Event& event) {
    if (next == state.agent_state) return;
    event.state = next;
    event.from = state.agent_state.value_or(AgentState::kIdle);
}

void ask_interval(const SessionState& state, const Context& context, Event& event) {
    Attention attention;
    attention.call_in_flight = state.call_in_flight();
    attention.watched = context.watched;
    attention.reflecting = model_thinks(state);
    attention.load = context.load;
    const Millis asked = next_heartbeat(*state.policy, attention);
    HEADWAY_ASSERT(asked >= kHeartbeatIntervalMin && asked <= kHeartbeatIntervalMax);
    if (asked != state.asked_interval) {
        event.next_heartbeat_ms = static_cast<std::uint32_t>(asked.count());
    }
}

}  // namespace headway::core
