#include "core/detectors/exact_repeat.hpp"

#include <algorithm>

namespace headway::core {

void ExactRepeat::observe(const Observation& seen) {
    if (seen.nudge_taken || (seen.call != nullptr && seen.call->neutral)) *this = {};
    if (seen.user_message) user_spoke = true;
    if (seen.call == nullptr || seen.call->neutral) return;
    user_spoke = false;
    const CallSeen& call = *seen.call;
    const std::uint32_t now_scope = seen.ledger.scope;
    const bool moved = is_hard(call.entry.tier) || call.entry.tier == Tier::kAnswerChanged;
    if (question != call.print.question.low || moved || now_scope > scope + 1) {
        begin(call, now_scope);
        return;
    }
    // A red test is a result, and its wording is the answer.
    const bool fails = !call.call.ok && call.print.kind != CallKind::kVerify;
    failing_run = fails && failing_run > 0 ? failing_run + 1 : (fails ? 1 : 0);
    run = key == key_of(call.print) ? run + 1 : 1;
    key = key_of(call.print);
}

Rung ExactRepeat::rung(Thresholds limits, const Ledger&) const {
    if (user_spoke) return Rung::kNone;
    const bool fails = failing_run >= run;
    if (fails && limits.suspect != 0) limits.suspect += kRetries;
    return rung_of(std::max(run, failing_run) / patience, limits);
}

Finding ExactRepeat::finding(const Ledger& ledger) const {
    Finding finding;
    finding.count = std::max(run, failing_run);
    finding.identity = question;
    finding.evidence = evidence_of(
        ledger, finding.count, [this](const CallMark& mark) { return mark.question == question; });
    finding.reason =
        (run >= failing_run ? "the same call with the same result " : "the same call failed ") +
        times(finding.count) + " in a row" + since_change(ledger);
    return finding;
}

void ExactRepeat::begin(const CallSeen& seen, std::uint32_t now_scope) {
    key = key_of(seen.print);
    question = seen.print.question.low;
    run = 1;
    failing_run = seen.call.ok || seen.print.kind == CallKind::kVerify ? 0 : 1;
    patience = std::max(1U, seen.patience);
    scope = now_scope;
}

}  // namespace headway::core
