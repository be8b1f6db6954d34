#include "core/lattice.hpp"

#include "core/liveness.hpp"

namespace headway::core {
namespace {

Judgement judge_ended(const SessionState& state) {
    Verdict verdict = Verdict::kCompleted;
    if (*state.outcome == Outcome::kFailed) verdict = Verdict::kFailed;
    if (*state.outcome == Outcome::kCancelled) verdict = Verdict::kCancelled;
    return {verdict, state.end_reason, {}, {state.n}, kNever};
}

Judgement from(const Finding& finding) {
    Verdict verdict = Verdict::kSlow;
    if (finding.rung == Rung::kSuspect) verdict = Verdict::kSuspect;
    if (finding.rung == Rung::kStuck) verdict = Verdict::kStuck;
    return {verdict, finding.reason, std::string{finding.detector}, finding.evidence, kNever};
}

Judgement judge_unheard(const SessionState& state) {
    if (state.call_in_flight()) {
        // A long tool keeps some agents from beating: reported, never called silent because of it.
        return {Verdict::kSlow, "no heartbeat while a call is in flight", "liveness", {}, kNever};
    }
    return {Verdict::kSilent, "no heartbeat for two intervals", "liveness", {}, kNever};
}

}  // namespace

Judgement judge(const SessionState& state, Timestamp now, Timestamp watching_since) {
    if (state.ended()) return judge_ended(state);
    if (now >= silent_at(state.last_beat_at, watching_since, state.asked_interval)) {
        return judge_unheard(state);
    }
    if (const auto finding = state.detectors.heartbeat_rule.finding(state.policy)) {
        return from(*finding);
    }
    if (state.state_changes > 0) {
        return {Verdict::kProgressing,
                std::string{change_name(*state.last_change)},
                {},
                {state.last_change_n},
                kNever};
    }
    if (state.work_moves > 0) {
        return {Verdict::kProgressing, "the call in flight moves", {}, {}, kNever};
    }
    return {};
}

}  // namespace headway::core
