// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/repeats/exact_repeat.hpp"

#include <algorithm>

#include "core/base/assert.hpp"

namespace headway::core {
namespace {

/// A failure, or an answer that says that what it needs is busy: both are retried.
bool may_be_retried(const CallSeen& call) {
    return call.fingerprint.kind != CallKind::kVerify &&
           (call.failed() || call.fingerprint.is(Shape::kBusy));
}

}  // namespace

void ExactRepeat::observe(const Observation& seen) {
    if (seen.nudge_taken || (seen.call != nullptr && seen.call->neutral)) *this = {};
    // A better test that is no call itself proves as much as one that is.
    if (seen.fresh_start || (seen.call == nullptr && is_hard(seen.tier))) *this = {};
    if (seen.user_message) user_spoke = true;
    if (seen.call == nullptr || seen.call->neutral) return;
    user_spoke = false;
    const CallSeen& call = *seen.call;
    const std::uint32_t now_scope = seen.ledger.scope;
    const bool moved = is_hard(call.entry.tier) || call.entry.tier == Tier::kAnswerChanged;
    if (question != call.fingerprint.question.low || moved ||
        static_cast<std::uint16_t>(now_scope - scope) > 1) {
        begin(call, now_scope);
        return;
    }
    // A red test is a result, and its text is the answer.
    count_failure(call);
    run = key == key_of(call.fingerprint) ? run + 1 : 1;
    patience = std::max(patience, call.patience);  // it may grow with what is known of a test
    key = key_of(call.fingerprint);
}

Severity ExactRepeat::severity(Thresholds limits, const Ledger&) const {
    HEADWAY_ASSERT(patience >= 1);
    if (user_spoke) return Severity::kNone;
    const bool fails = failing_run >= run;
    const std::uint32_t count = std::max(run, failing_run) / patience;
    // An edit that did not fit its file does not fit it later either: it gets no retries more.
    if (fails && !edits && limits.suspect != 0) limits.suspect += kRetries;
    if (fails && closed) limits = {limits.suspect * kClosedTimes, limits.stuck * kClosedTimes};
    return severity_of(count, limits);
}

Finding ExactRepeat::finding(const Ledger& ledger) const {
    Finding finding;
    finding.count = std::max(run, failing_run);
    HEADWAY_ASSERT(finding.count > 0);
    finding.identity = question;
    finding.evidence = evidence_of(
        ledger, finding.count, [this](const CallMark& mark) { return mark.question == question; });
    finding.reason =
        (run >= failing_run ? "the same call with the same result " : "the same call failed ") +
        times(finding.count) + " in a row" + since_change(ledger);
    HEADWAY_ASSERT(finding.evidence.size() <= limits::kEvidenceMax);
    return finding;
}

bool ExactRepeat::is_valid(const Ledger&, std::uint64_t) const {
    return patience >= 1;
}

/// A failure that is none of those before got further, or has another cause, and begins a row of
/// its own. One that is back has gone round: all of them are one row. Ids and counters differ from
/// try to try, so equal words are the same failure.
void ExactRepeat::count_failure(const CallSeen& call) {
    if (!may_be_retried(call)) {
        failing_run = failures = 0;
        return;
    }
    const auto what = static_cast<std::uint16_t>(call.fingerprint.diagnostic);
    const auto says = static_cast<std::uint16_t>(call.call.ok ? 0 : call.fingerprint.kin);
    const bool first = failures == 0;
    if (first) first_failure = what;
    if (failures < UINT8_MAX) ++failures;
    const bool alike = what == last_failure || (says != 0 && says == last_words);
    if (alike && !first)
        ++failing_run;
    else
        failing_run = what == first_failure ? failures : 1;
    // Ever other words end nowhere as well, only later.
    constexpr std::uint32_t kOthers = 3;
    failing_run = std::max<std::uint32_t>(failing_run, failures / kOthers);
    last_failure = what;
    last_words = says;
}

void ExactRepeat::begin(const CallSeen& seen, std::uint32_t now_scope) {
    key = key_of(seen.fingerprint);
    question = seen.fingerprint.question.low;
    run = 1;
    failures = 0;
    count_failure(seen);
    patience = std::max(1U, seen.patience);
    if (seen.weak()) {
        patience *= seen.fingerprint.is(Shape::kSilent) ? kGuardPatience : kActPatience;
    } else if (seen.fingerprint.is(Shape::kMoves)) {
        patience *= kMovePatience;
    }
    // Only of a file: `update_order` and its like may do the second time what they refused the
    // first.
    edits = failing_run > 0 && seen.fingerprint.kind == CallKind::kEdit &&
            seen.fingerprint.content != 0 && seen.fingerprint.path != 0;
    closed = seen.failed() && seen.fingerprint.failure == FailureKind::kNetwork;
    scope = static_cast<std::uint16_t>(now_scope);
    HEADWAY_ASSERT(failing_run <= run);
    HEADWAY_ASSERT(patience >= 1);
}

}  // namespace headway::core
