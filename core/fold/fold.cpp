// SPDX-License-Identifier: Apache-2.0
#include "core/fold/fold.hpp"

#include <algorithm>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/budgets/budget_fold.hpp"
#include "core/detection/classify.hpp"
#include "core/fold/fold_advice.hpp"
#include "core/fold/fold_call.hpp"
#include "core/fold/fold_detectors.hpp"
#include "core/fold/fold_pace.hpp"
#include "core/fold/fold_phase.hpp"
#include "core/meters/fan_out.hpp"
#include "core/policies/user_words.hpp"
#include "core/redaction/sanitize.hpp"
#include "core/state/completion.hpp"
#include "core/state/legacy_comparison.hpp"
#include "core/state/person_time.hpp"
#include "core/text/text.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

/// One overload per payload; the default does only what every event does.
struct Fold {
    SessionState& state;
    const Event& event;
    EventSigns& seen;
    CallEvidence& evidence;

    template <class P>
    void operator()(const P&) const {}

    void operator()(const SessionStarted& started) const {
        state.opened_at = event.at;
        enter_opening(state, started);
        // A damaged journal may hold any number.
        state.asked_interval =
            std::clamp(state.policy->heartbeat_interval, Millis{0}, kHeartbeatIntervalMax);
        state.judgement.change().since = event.at;
        reach(Verdict::kStarting);
    }

    void operator()(const SessionAmended& amended) const { amend_opening(state, amended); }

    void operator()(const Heartbeat& beat) const {
        ++state.heartbeats;
        if (!beat.adapter.empty()) enter_adapter(state.about, beat.adapter);
        if (!beat.phase.empty()) enter_phase(beat.phase);
        if (beat.iteration) state.iteration = beat.iteration;
        if (beat.resources) state.resources = beat.resources;
        seen.work_moved = beat.in_flight && state.in_flight_beat &&
                          beat.in_flight->counter != state.in_flight_beat->counter;
        if (seen.work_moved) {
            ++state.work_moves;
            state.ledger.change().external_n = event.n;
            seen.tier = Tier::kExternal;
        }
        state.in_flight_beat = beat.in_flight;
    }

    void operator()(const ToolStarted& call) const {
        seen.model_answered = true;
        if (call.of_agent) ++state.agent_calls;
        begin_call(state, call);
        close_call(call.call_id);  // the same id again is a retry of the same call
        if (state.open_calls.size() >= limits::kInFlightMax)
            state.open_calls.erase(state.open_calls.begin());
        state.open_calls.push_back({call.call_id, call.tool, event.at});
        HEADWAY_ASSERT(state.open_calls.size() <= limits::kInFlightMax);
    }

    void operator()(const ToolFinished& call) const {
        const Timestamp since = call.call_id.empty() ? kNever : close_call(call.call_id);
        if (call.of_agent && since == kNever) ++state.agent_calls;  // no start was reported
        const auto took = since != kNever ? std::optional{event.at - since} : std::nullopt;
        evidence = enter_call(state, call, event.n, took, since != kNever);
        if (!state.approvals.requests.empty())
            enter(state.approvals, call, evidence.fingerprint, event.n);
        HEADWAY_ASSERT(!evidence.replayed || !evidence.counts);
        if (evidence.replayed || evidence.unrun) return;
        evidence.overran = overran(state, call, since, event);
        ++state.tool_calls;
        if (!call.ok) ++state.tool_failures;
        HEADWAY_ASSERT(state.tool_failures <= state.tool_calls);
        note_failure(call);
        ++(call.ok ? state.recent_successes : state.recent_failures);
        seen.tier = evidence.tier;
        // The heartbeat was about this call, or about one that was never named: it is over.
        state.in_flight_beat.reset();
    }

    void operator()(const ErrorReported& error) const {
        fail(error.tool, error.message.kept.empty() ? error.error_class : error.message.kept,
             failure_of_error(error));
    }

    void operator()(const TestResult& result) const {
        seen.tier = enter_test(state, result, event.n);
    }

    void operator()(const Message& message) const {
        const bool own = message.role.empty() || message.role == "assistant" ||
                         message.role == "agent" || message.role == "thought";
        seen.model_answered = own && !message.text.empty();
        if (own) return;
        if (message.wake_up && message.role == "system") {
            seen.woken = note_wake_up(state, event);
            return;
        }
        const bool trusted = state.policy->trust_user || message.of_operator;
        seen.other_spoke = message.of_operator || (trusted && words_left(state));
        if (seen.other_spoke && !message.of_operator) ++state.other_words;
        if (!of_user(message)) return;
        seen.user_message = message.of_operator || asks_anew(message);
        if (!seen.user_message) return;
        forget_phases(state.recent_phases, state.phase);
        if (message.of_operator) return lift_as_person(state, event.n);
        lift(state, event.n);
    }

    /// "Go on" after "continue" asks for nothing new.
    bool asks_anew(const Message& message) const {
        const bool goes_on = only_goes_on(message.text.kept);
        const bool again = goes_on && state.ledger->said_go_on;
        if (goes_on != state.ledger->said_go_on) state.ledger.change().said_go_on = goes_on;
        return !again && state.policy->trust_user && may_lift(state);
    }

    void operator()(const StateChanged& change) const {
        if (change.state != AgentState::kIdle) return;
        // A prompt that stays idle says nothing about the work in the background.
        if (change.background.empty() && state.agent_state == AgentState::kIdle) return;
        enter_background(state, change.background);
    }

    void operator()(const PlanUpdated&) const { seen.model_answered = true; }

    void operator()(const Reflection& reflection) const {
        seen.model_answered = true;
        const bool low = reflection.confidence.value_or(1) < state.policy->min_confidence;
        if (reflection.confidence) state.low_confidence = low ? state.low_confidence + 1 : 0;
    }

    void operator()(const FactLearned& fact) const {
        if (fact.text.empty()) return;
        learn_fact(state.checks.change(), fact.text.kept);
    }

    void operator()(const Compacted&) const { state.ledger.change().compacted_n = event.n; }

    void operator()(const PhaseStarted& phase) const {
        begin_phase(state, phase, event.at);
        enter_phase(phase.name);
        if (!seen.phase_changed) return;
        state.recent_phases.started_n = event.n;
        seen.fresh_start = state.policy->profile == Profile::kStrict;
        if (seen.fresh_start) state.ledger.change().forget_quiet();
    }

    void operator()(const PhaseCompleted& phase) const { complete_phase(state, phase, event.at); }

    void operator()(const VerdictChanged& change) const {
        Judgement judgement;
        judgement.verdict = change.to;
        judgement.reason = change.reason;
        judgement.detector = change.detector;
        judgement.evidence = change.evidence;
        judgement.since = event.at;
        judgement.detectors = change.detectors;
        judgement.confidence = change.confidence;
        judgement.loop = change.loop;
        judgement.needs_somebody = change.needs_somebody;
        judgement.cause = change.cause;
        judgement.retry_at = change.retry_at;
        state.judgement.set(std::move(judgement));
        state.informed_before = state.ledger->informed_rounds;
        reach(change.to);
        const bool loops = change.to == Verdict::kSuspect || change.to == Verdict::kStuck;
        const bool interrupted = state.waits_for_human() || state.paused();
        note_loop(state, event, loops);
        if (!loops && !interrupted) withdraw_advice(state);
        withdraw_stops(state);
    }

    void operator()(const ProgressStats&) const {
        state.recent_successes = 0;
        state.recent_failures = 0;
    }

    void operator()(const DirectiveIssued& directive) const { issue(state, directive, event.at); }

    void operator()(const DirectiveDelivered& delivered) const { deliver(state, delivered.id); }

    void operator()(const DirectiveAcknowledged& acknowledged) const {
        if (!acknowledged.of_other)
            acknowledge(state.approvals, acknowledged.id, acknowledged.let_go, event.n);
        if (take_advice(state, acknowledged.id)) seen.nudge_taken = true;
    }

    void operator()(const ApprovalRequested& asked) const {
        enter(state.approvals, asked, event.n, event.at);
    }

    void operator()(const ApprovalDecided& decided) const {
        const auto ref = parse_approval_id(decided.id);
        const Approval* approval = ref ? state.approvals.find(ref->n) : nullptr;
        if (approval == nullptr || !approval->pending()) return;
        // A person's answer counts as a message of the user: it starts a new scope.
        const bool answer =
            approval->kind == ApprovalKind::kQuestion && decided.channel != "expiry";
        if (answer) {
            seen.user_message = true;
            lift_as_person(state, event.n);
        }
        if (approval->of_headway() && withdraw_question(state)) seen.nudge_taken = true;
        seen.dialog_left = approval->of_dialog() && decided.decision == Decision::kIgnore;
        const bool last = approval->of_dialog() || awaits_one_decision(state);
        seen.dialog_over = !seen.dialog_left && last;
        if (decided.decision == Decision::kReject) close_call(approval->call_id);  // it is over
        state.stopped = state.stopped || (decided.stop && decided.channel != "expiry");
        enter(state.approvals, decided, event.n, event.at);
        if (approval->kind == ApprovalKind::kTool && !approval->of_dialog() &&
            approval->decision == Decision::kReject && approval->by_person())
            end_unused(state.approvals, approval->tool, approval->args_digest, event.n);
    }

    void operator()(const ApprovalRedeemed& redeemed) const {
        enter(state.approvals, redeemed, event.n, event.at);
        const auto ref = parse_approval_id(redeemed.id);
        const Approval* approval = ref ? state.approvals.find(ref->n) : nullptr;
        if (approval != nullptr && approval->changed_n == event.n)
            let_run(state, *approval, event.at);
    }

    void operator()(const ApprovalExpired& expired) const {
        enter(state.approvals, expired, event.n);
    }

    void operator()(const ApprovalRevoked& revoked) const {
        enter(state.approvals, revoked, event.n);
    }

    void operator()(const ApprovalClosed& closed) const {
        seen.dialog_left = closed.how == ApprovalClosing::kLeftToAgent;
        const bool of_call = closed.how == ApprovalClosing::kTakenBack;
        seen.dialog_over = !seen.dialog_left && (!of_call || awaits_one_decision(state));
        enter(state.approvals, closed, event.n, event.at);
    }

    void operator()(const ApprovalAlarm& alarm) const {
        if (alarm.alarm == ApprovalAlarmKind::kFanOut)
            state.budget.alarmed.change() = fan_out_of(state.budget);
        enter(state.approvals, alarm, event.n, event.at);
    }

    void operator()(const AlarmAcknowledged& acknowledged) const {
        state.budget.alarmed.reset();
        enter(state.approvals, acknowledged, event.n);
    }

    void operator()(const CheckRequested& asked) const { begin_check(state, asked, event.n); }

    void operator()(const CheckCompleted& done) const { end_check(state, done, event.n); }

    void operator()(const ProgressEstimated& s) const { enter_estimate(state, s, event); }

    void operator()(const CancelRequested&) const { state.cancel_requested = true; }

    void operator()(const SessionEnded& end) const {
        state.ended_at = event.at;
        state.outcome = end.outcome;
        state.end_reason = cut_text(end.reason.kept, limits::kStringBytesMax);
        if (!end.result.empty()) state.result.change() = end.result;
        state.end_code = end.code;
        state.open_calls.clear();
        state.in_flight_beat.reset();
        state.background.reset();
        end_directives(state);
        end_phase(state, event.at);
        close(state.approvals, event.n, event.at);
        HEADWAY_ASSERT(state.ended() && !state.call_in_flight() && !state.waits_for_human());
    }

    void note_failure(const ToolFinished& call) const {
        if (call.ok && evidence.overran) {
            fail(call.tool, "it took longer than the time that it is given", FailureKind::kOther);
            return;
        }
        if (call.ok) {
            state.last_failure.clear();
            state.last_failure_kind = FailureKind::kNone;
            return;
        }
        const bool says = call.error && !call.error->message.kept.empty();
        fail(call.tool,
             says ? std::string_view{call.error->message.kept}
                  : std::string_view{call.error ? call.error->error_class : ""},
             evidence.fingerprint.failure);
    }

    void fail(const std::string& tool, std::string_view text, FailureKind kind) const {
        state.last_failure_kind = kind;
        const auto label = std::find_if(state.about.labels.begin(), state.about.labels.end(),
                                        [](const Label& l) { return l.key == "workspace"; });
        const std::string_view workspace =
            label == state.about.labels.end() ? std::string_view{} : label->value;
        state.last_failure = cut_text(tool, limits::kPhaseTextBytesMax);
        state.last_failure += '\n' + sanitized(text, workspace, limits::kFeedbackErrorBytesMax);
        HEADWAY_ASSERT(state.last_failure.size() <=
                       limits::kPhaseTextBytesMax + 1 + limits::kFeedbackErrorBytesMax);
    }

    void reach(Verdict verdict) const {
        HEADWAY_ASSERT(static_cast<std::size_t>(verdict) < state.reached.size());
        HEADWAY_ASSERT(state.reached[static_cast<std::size_t>(verdict)] <= event.n);
        state.reached[static_cast<std::size_t>(verdict)] = event.n;
    }

    /// Since when it was open; kNever when it was not.
    Timestamp close_call(const std::string& call_id) const {
        const auto open = std::find_if(state.open_calls.begin(), state.open_calls.end(),
                                       [&](const OpenCall& c) { return c.call_id == call_id; });
        if (open == state.open_calls.end()) return kNever;
        const Timestamp since = open->since;
        state.open_calls.erase(open);
        return since;
    }

    void enter_phase(const std::string& name) const {
        seen.phase_turned = name != state.phase;
        if (!seen.phase_turned) return;
        state.phase = name;
        seen.phase_changed = is_new_phase(state.recent_phases, name);
    }
};

/// A new process took over. Calls in flight of the old one will never finish.
void take_over(SessionState& state, std::uint32_t attempt) {
    HEADWAY_ASSERT(attempt > state.attempt);
    state.attempt = attempt;
    state.open_calls.clear();
    state.in_flight_beat.reset();
}

/// Invariants after every event.
void check_fold(const SessionState& state, const Event& event) {
    HEADWAY_ASSERT(state.n == event.n && state.attempt >= event.attempt);
    HEADWAY_ASSERT(state.last_change_n <= state.n && state.claim.n <= state.n);
    HEADWAY_ASSERT(state.ledger->hard_n <= state.n && state.ledger->scope_n <= state.n);
    HEADWAY_ASSERT(state.ledger->moved_n <= state.n && state.ledger->external_n <= state.n);
    HEADWAY_ASSERT(state.tool_calls <= state.n && state.heartbeats <= state.n);
    HEADWAY_ASSERT(state.state_changes <= state.n && state.work_moves <= state.heartbeats);
    HEADWAY_ASSERT(state.budget.clock_at >= event.at);
}

}  // namespace

void apply(SessionState& state, const Event& event) {
    HEADWAY_ASSERT(event.n == state.n + 1);
    const EventType type = type_of(event.payload);
    note_legacy_kills(state, event.at);
    state.n = event.n;
    if (event.attempt > state.attempt) take_over(state, event.attempt);
    const bool beats = of_agent(event.payload) || type == EventType::kSessionStarted ||
                       type == EventType::kApprovalRedeemed;
    if (beats) state.last_beat_at = event.at;
    hold_calls(state, event.at);
    charge_clock(state.budget, event);
    note_time(state, event);
    EventSigns signs;
    CallEvidence evidence;
    std::visit(Fold{state, event, signs, evidence}, event.payload);
    Observation seen{signs, event, *state.ledger};
    if (event.state) state.agent_state = event.state;
    if (!evidence.replayed) note_action(state.last_action, event);
    if (!evidence.replayed) note_claim(state, event);
    state.last_tier = seen.tier;
    if (is_hard(seen.tier)) forget_phases(state.recent_phases, state.phase);
    seen.call_in_flight = state.call_in_flight();
    seen.waits_for_human = state.waits_for_human() || state.paused();
    seen.state_change = !change_name(type).empty() && !evidence.replayed;
    if (seen.state_change) {
        ++state.state_changes;
        state.last_change = type;
        state.last_change_at = event.at;
        state.last_change_n = event.n;
    }
    seen.thinking = model_thinks(state);
    show_to_detectors(state.detectors, seen, evidence);
    if (is_hard(seen.tier) || seen.fresh_start) withdraw_stops(state);
    meter_event(state, event, evidence.replayed);
    if (event.next_heartbeat_ms != 0) state.asked_interval = Millis{event.next_heartbeat_ms};
    check_fold(state, event);
}

}  // namespace headway::core
