#include "core/lattice.hpp"

#include "core/liveness.hpp"

namespace headway::core {
namespace {

Verdict verdict_of(Outcome outcome) {
    if (outcome == Outcome::kFailed) return Verdict::kFailed;
    return outcome == Outcome::kCancelled ? Verdict::kCancelled : Verdict::kCompleted;
}

Verdict verdict_of(Rung rung) {
    if (rung == Rung::kStuck) return Verdict::kStuck;
    return rung == Rung::kSuspect ? Verdict::kSuspect : Verdict::kSlow;
}

bool unheard(const SessionState& state, Timestamp now, Timestamp watching_since) {
    return now >= silent_at(state.last_beat_at, watching_since, state.asked_interval);
}

}  // namespace

Verdict verdict_of(const SessionState& state, Timestamp now, Timestamp watching_since) {
    if (state.ended()) return verdict_of(*state.outcome);
    if (unheard(state, now, watching_since)) {
        // A long tool keeps some agents from beating: reported, never called silent because of it.
        return state.call_in_flight() ? Verdict::kSlow : Verdict::kSilent;
    }
    if (const auto finding = state.detectors.heartbeat_rule.finding(state.policy)) {
        return verdict_of(finding->rung);
    }
    const bool moved = state.state_changes > 0 || state.work_moves > 0;
    return moved ? Verdict::kProgressing : Verdict::kStarting;
}

Judgement judge(const SessionState& state, Timestamp now, Timestamp watching_since) {
    Judgement judgement;
    judgement.verdict = verdict_of(state, now, watching_since);
    if (state.ended()) {
        judgement.reason = state.end_reason;
        judgement.evidence = {state.n};
    } else if (unheard(state, now, watching_since)) {
        judgement.detector = "liveness";
        judgement.reason = state.call_in_flight() ? "no heartbeat while a call is in flight"
                                                  : "no heartbeat for two intervals";
    } else if (const auto finding = state.detectors.heartbeat_rule.finding(state.policy)) {
        judgement.detector = finding->detector;
        judgement.reason = finding->reason;
        judgement.evidence = finding->evidence;
    } else if (state.state_changes > 0) {
        judgement.reason = change_name(*state.last_change);
        judgement.evidence = {state.last_change_n};
    } else if (state.work_moves > 0) {
        judgement.reason = "the call in flight moves";
    }
    return judgement;
}

}  // namespace headway::core
