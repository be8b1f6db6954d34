// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/failures/failing_everywhere.hpp"

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"

namespace headway::core {

void FailingEverywhere::observe(const Observation& seen) {
    if (seen.phase_changed || seen.user_message || seen.nudge_taken || is_hard(seen.tier))
        *this = {};
    if (seen.call == nullptr || seen.call->neutral) return;
    const CallFingerprint& fingerprint = seen.call->fingerprint;
    if (seen.call->answered() || fingerprint.kind == CallKind::kVerify) {
        *this = {};
        return;
    }
    if (!seen.call->failed() || seen.call->missed()) return;
    last_n = seen.event.n;
    if (any > 0 && round == seen.ledger.rounds) return;
    if (any == 0) first_n = seen.event.n;
    round = seen.ledger.rounds;
    ++any;
    same_kind = fingerprint.failure == kind ? same_kind + 1 : 1;
    // Edits that fail alike differ in what they try.
    const bool other = fingerprint.kind == CallKind::kEdit && !seen.call->entry.known_question;
    same_error = fingerprint.diagnostic == diagnostic && !other ? same_error + 1 : 1;
    kind = fingerprint.failure;
    diagnostic = fingerprint.diagnostic;
    HEADWAY_ASSERT(first_n <= last_n);
    HEADWAY_ASSERT(round == seen.ledger.rounds);
}

Severity FailingEverywhere::severity(Thresholds limits, const Ledger&) const {
    if (limits.stuck != 0 && (any >= limits.stuck || same_error * 3 >= limits.stuck * 2)) {
        return Severity::kStuck;
    }
    const bool of_a_kind = kind != FailureKind::kOther && same_kind >= limits.suspect;
    const bool suspect = limits.suspect != 0 && (of_a_kind || any >= limits.suspect + 3);
    return suspect ? Severity::kSuspect : Severity::kNone;
}

Finding FailingEverywhere::finding(const Ledger&) const {
    HEADWAY_ASSERT(first_n <= last_n);
    Finding finding;
    finding.count = any;
    finding.identity = same_error > 1 ? diagnostic : static_cast<std::uint64_t>(kind);
    finding.evidence = {first_n, last_n};
    finding.reason =
        std::to_string(any) + " turns in a row failed since #" + std::to_string(first_n);
    return finding;
}

bool FailingEverywhere::is_valid(const Ledger&, std::uint64_t newest) const {
    return sound::in_order(*this, newest);
}

}  // namespace headway::core
