// SPDX-License-Identifier: Apache-2.0
#include "core/judgement/resolver.hpp"

#include <algorithm>
#include <utility>

#include "core/base/assert.hpp"
#include "core/judgement/claims.hpp"
#include "core/judgement/reasons.hpp"
#include "core/values/liveness.hpp"

namespace headway::core {
namespace {

/// Rounds after hard progress for which a session is progressing (docs/detection.md, section 6).
constexpr std::uint32_t kProgressingRounds = 10;

/// True if something lifts the suspicion: hard progress, five rounds of soft progress, a new task
/// of the user, advice taken, or, under the strict profile, a new phase.
bool recovered(const SessionState& state) {
    HEADWAY_ASSERT(state.reached.size() == kVerdictCount);
    const std::uint64_t since = state.reached[static_cast<std::size_t>(state.judgement->verdict)];
    const Ledger& ledger = *state.ledger;
    if (ledger.hard_n > since || ledger.scope_n > since) return true;
    const bool strict = state.policy->profile == Profile::kStrict;
    if (strict && state.recent_phases.started_n > since) return true;
    if (ledger.informed_rounds >= state.informed_before + kInformedRounds) return true;
    return std::any_of(state.nudges.begin(), state.nudges.end(), [&state](const Nudge& nudge) {
        return nudge.acknowledged && nudge.loop == state.judgement->loop;
    });
}

bool stays(const SessionState& state) {
    const Judgement& now = *state.judgement;
    if (now.verdict != Verdict::kSuspect && now.verdict != Verdict::kStuck) return false;
    DetectorId id{};
    return parse_name(now.detector, id) && lasts(traits_of(id).kind) && !recovered(state);
}

Verdict verdict_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::kFailed:
            return Verdict::kFailed;
        case Outcome::kCancelled:
            return Verdict::kCancelled;
        case Outcome::kHalted:
        case Outcome::kBudgetExhausted:
            return Verdict::kHalted;
        case Outcome::kCompleted:
            break;
    }
    return Verdict::kCompleted;
}

bool unheard(const SessionState& state, const VerdictContext& around) {
    return around.now >=
           silent_at(state.heard_at(), around.watch, state.asked_interval, around.agent_runs);
}

/// Without claims: by the age of the last progress.
Verdict by_progress(const SessionState& state) {
    const Ledger& ledger = *state.ledger;
    const bool hard = ledger.hard_n != 0 && ledger.rounds < ledger.hard_round + kProgressingRounds;
    const bool moves = ledger.external_n != 0 && ledger.external_n >= state.last_change_n;
    if (hard || moves) return Verdict::kProgressing;
    return state.state_changes > 0 ? Verdict::kExploring : Verdict::kStarting;
}

/// An agent that asked a question, does not wait and loops: its own question must not hide the
/// loop. If Headway asked, the loop is already known.
bool loops_beside_question(const SessionState& state, const Claims& claims) {
    if (state.calls_while_asked <= limits::kCallsBesideQuestion) return false;
    const auto& asked = state.approvals.requests;
    const bool known = std::any_of(asked.begin(), asked.end(),
                                   [](const Approval& a) { return a.pending() && a.of_headway(); });
    return !known && claims.verdict == Severity::kStuck;
}

/// Its turn is over: it waits at its prompt, or for its own work in the background.
bool at_rest(const SessionState& state) {
    return state.agent_state == AgentState::kIdle && !state.call_in_flight();
}

/// True if a call is open of which heartbeats came, an interval and more after its start: its agent
/// does send them during calls.
bool beats_in_call(const SessionState& state) {
    if (!state.in_flight_beat) return false;
    return std::any_of(state.open_calls.begin(), state.open_calls.end(), [&](const OpenCall& call) {
        return call.call_id == state.in_flight_beat->call_id &&
               state.last_beat_at - call.since >= std::max(state.asked_interval, Millis{1});
    });
}

/// Opened by `headway run`, which sends heartbeats whatever its command does, from its first call
/// on.
bool always_beats(const SessionState& state) {
    return state.about.agent.type == "command";
}

Verdict verdict_of(const SessionState& state, const VerdictContext& around, const Claims& claims) {
    if (state.ended()) return verdict_of(*state.outcome);
    if (state.waits_for_human()) {  // regardless of other events
        return loops_beside_question(state, claims) ? Verdict::kStuck : Verdict::kBlocked;
    }
    if (state.paused()) return Verdict::kWaiting;  // until a person resumes it
    const Verdict before = state.judgement->verdict;
    const bool held = stays(state);
    // An agent that only sent heartbeats and then stopped is silent. Any other loop stays one.
    const bool only_beats = claims.verdict == Severity::kStuck && unheard(state, around) &&
                            claims.begin()->id == kIdOf<HeartbeatRule>;
    const bool of_child = claims.verdict == Severity::kStuck && around.children_work &&
                          claims.begin()->id == kIdOf<HeartbeatRule>;
    if (claims.verdict == Severity::kStuck && !only_beats && !of_child) return Verdict::kStuck;
    if (held && before == Verdict::kStuck) return Verdict::kStuck;
    if (claims.verdict == Severity::kBlocked) return Verdict::kBlocked;
    if (unheard(state, around)) {
        // Some agents send no heartbeats during a long call, so this is not silence.
        const bool beatless = !always_beats(state) && !beats_in_call(state);
        if (state.call_in_flight() && beatless) return Verdict::kSlow;
        // An idle agent waits for a task.
        const bool waits = around.children_work || state.agent_state == AgentState::kIdle;
        if (waits) return Verdict::kWaiting;
        return around.agent_works ? Verdict::kSlow : Verdict::kSilent;
    }
    // A parent that beats while its child is at work waits for it.
    const bool beats = claims.count > 0 && claims.begin()->id == kIdOf<HeartbeatRule>;
    if (around.children_work && beats && !held) return Verdict::kWaiting;
    if (claims.verdict == Severity::kSuspect || held) {
        return judged_looping(state) ? Verdict::kStuck : Verdict::kSuspect;
    }
    if (claims.verdict == Severity::kSlow) return Verdict::kSlow;
    if (claims.verdict == Severity::kWaiting || at_rest(state)) return Verdict::kWaiting;
    return by_progress(state);
}

/// Adds that a judge turned the suspicion into a verdict.
void add_opinion(const SessionState& state, Severity claimed, Judgement& judgement) {
    const bool by_judge =
        judgement.verdict == Verdict::kStuck && claimed < Severity::kStuck && judged_looping(state);
    if (!by_judge || state.judgement->verdict == Verdict::kStuck) return;
    judgement.reason += "; and a judge found it looping (#" + std::to_string(state.checks->n) + ")";
    judgement.detectors.emplace_back("judge");
    judgement.confidence = 0.8;
}

std::string slow_reason(const SessionState& state) {
    return state.call_in_flight() && !beats_in_call(state)
               ? "no heartbeat while a call is in flight"
               : "no report for long, but the agent's process is at work";
}

}  // namespace

Verdict verdict_of(const SessionState& state, const VerdictContext& around) {
    return verdict_of(state, around, claims_of(state));
}

bool needs_somebody(const SessionState& state, Verdict verdict, Timestamp now) {
    const Millis quiet = now - state.heard_at();
    if (verdict == Verdict::kBlocked) {
        const bool passing = passes(block_of(state, verdict).cause);
        const bool silent = quiet >= 2 * state.asked_interval;  // it tries no more
        return passing && (silent || state.detectors->blocked.needs_somebody());
    }
    // An agent that does not report waits for something else: a task, or its children.
    const bool heard = quiet <= 2 * state.asked_interval;
    if (verdict != Verdict::kWaiting || state.paused() || !heard) return false;
    const Policy& policy = *state.policy;
    return state.detectors->waiting.needs_somebody(policy.wait_polls, policy.wait_patience, now);
}

bool stopped_by_provider(const SessionState& state) {
    const Blocked& blocked = state.detectors->blocked;
    const bool of_provider = blocked.cause != Cause::kNone && blocked.cause != Cause::kPerson &&
                             blocked.cause != Cause::kTool && !blocked.of_call;
    return of_provider && blocked.severity({}, *state.ledger) == Severity::kBlocked;
}

Block block_of(const SessionState& state, Verdict verdict) {
    const Blocked& blocked = state.detectors->blocked;
    if (verdict == Verdict::kBlocked && state.waits_for_human()) return {Cause::kPerson, kNever};
    const bool failed = verdict == Verdict::kFailed && stopped_by_provider(state);
    if (verdict != Verdict::kBlocked && !failed) return {};
    return {blocked.cause, blocked.retry_at};
}

Judgement judge(const SessionState& state, const VerdictContext& around) {
    const Claims claims = claims_of(state);
    Judgement judgement;
    judgement.verdict = verdict_of(state, around, claims);
    const bool by_claim = judgement.verdict == Verdict::kStuck ||
                          judgement.verdict == Verdict::kSuspect ||
                          judgement.verdict == Verdict::kBlocked ||
                          claims.verdict == Severity::kSlow || claims.verdict == Severity::kWaiting;
    if (state.ended()) {
        judgement.reason =
            judgement.verdict == Verdict::kFailed ? failed_reason(state) : state.end_reason;
        judgement.evidence = {state.n};
    } else if (const Approval* asked = state.approvals.oldest_pending();
               asked != nullptr && judgement.verdict == Verdict::kBlocked) {
        judgement.detector = "approval";
        judgement.reason = waiting_reason(*asked);
        judgement.evidence = {asked->n};
    } else if (state.paused() && judgement.verdict == Verdict::kWaiting) {
        judgement.detector = "operator";
        judgement.reason = state.paused_for_day ? "paused: a budget of the day is used up"
                                                : "paused by the operator";
    } else if (unheard(state, around) && judgement.verdict != Verdict::kStuck &&
               judgement.verdict != Verdict::kBlocked) {
        judgement.detector = "liveness";
        judgement.reason = judgement.verdict == Verdict::kSlow ? slow_reason(state)
                           : judgement.verdict != Verdict::kWaiting
                               ? "no heartbeat for two intervals"
                           : around.children_work ? "a session that it opened is at work"
                                                  : rest_reason(state);
    } else if (judgement.verdict == Verdict::kWaiting && claims.verdict != Severity::kWaiting) {
        const bool of_child = around.children_work && !at_rest(state);
        if (of_child) judgement.detector = "liveness";
        judgement.reason = of_child ? "a session that it opened is at work" : rest_reason(state);
    } else if (by_claim && claims.count > 0) {
        explain(state, claims, judgement);
        add_opinion(state, claims.verdict, judgement);
    } else if (by_claim) {
        const Verdict verdict = judgement.verdict;
        judgement = *state.judgement;  // no new claim, and nothing lifted the old one
        judgement.verdict = verdict;
        add_opinion(state, Severity::kNone, judgement);
    } else {
        judgement.reason = progress_reason(state, judgement.verdict);
        const std::uint64_t n =
            judgement.verdict == Verdict::kProgressing ? state.ledger->hard_n : state.last_change_n;
        if (n != 0) judgement.evidence = {n};
    }
    const Block block = block_of(state, judgement.verdict);
    judgement.cause = block.cause;
    judgement.retry_at = block.retry_at;
    judgement.needs_somebody = needs_somebody(state, judgement.verdict, around.now);
    const bool waits = judgement.verdict == Verdict::kWaiting;
    if (waits && judgement.needs_somebody) judgement.reason += "; nothing has moved for long";
    HEADWAY_ASSERT(is_final(judgement.verdict) == state.ended());
    const bool accuses = judgement.verdict == Verdict::kStuck ||
                         judgement.verdict == Verdict::kSuspect ||
                         judgement.verdict == Verdict::kBlocked;
    HEADWAY_ASSERT(!accuses || !judgement.detector.empty());
    return judgement;
}

}  // namespace headway::core
