// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/repeats/jitter_repeat.hpp"

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"

namespace headway::core {

void JitterRepeat::observe(const Observation& seen) {
    if (seen.user_message || seen.nudge_taken || is_hard(seen.tier)) *this = {};
    if (seen.call == nullptr || seen.call->neutral) return;
    const CallFingerprint& fingerprint = seen.call->fingerprint;
    if (fingerprint.kind != CallKind::kVerify) return;
    const bool green =
        seen.call->call.ok && fingerprint.failing.value_or(0) == 0 && !fingerprint.measured;
    const bool again =
        green && question == fingerprint.question.low && changes == seen.ledger.changes;
    if (!again) {
        *this = {};
        if (!green) return;
        question = fingerprint.question.low;
        changes = seen.ledger.changes;
        first_n = seen.event.n;
    }
    ++count;
    last_n = seen.event.n;
    HEADWAY_ASSERT(first_n <= last_n);
    HEADWAY_ASSERT(changes == seen.ledger.changes);
}

Severity JitterRepeat::severity(Thresholds limits, const Ledger&) const {
    return severity_of(count, limits);
}

Finding JitterRepeat::finding(const Ledger&) const {
    HEADWAY_ASSERT(count > 0);
    Finding finding;
    finding.count = count;
    finding.identity = question;
    finding.evidence = {first_n, last_n};
    finding.reason = "a test that passes was run " + times(count) +
                     " with nothing changed since #" + std::to_string(first_n);
    return finding;
}

bool JitterRepeat::is_valid(const Ledger& ledger, std::uint64_t newest) const {
    return changes <= ledger.changes && sound::in_order(*this, newest);
}

}  // namespace headway::core
