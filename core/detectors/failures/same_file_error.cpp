// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/failures/same_file_error.hpp"

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"

namespace headway::core {

void SameFileError::observe(const Observation& seen) {
    if (seen.phase_changed || seen.user_message || seen.nudge_taken || is_hard(seen.tier))
        *this = {};
    if (seen.call == nullptr || seen.call->neutral) return;
    const CallFingerprint& fingerprint = seen.call->fingerprint;
    if (fingerprint.path == 0) return;
    if (seen.call->call.ok) {
        if (fingerprint.path == file && fingerprint.kind != CallKind::kRead) *this = {};
        return;
    }
    if (!seen.call->failed()) return;
    if (fingerprint.path != file || fingerprint.diagnostic != diagnostic) {
        *this = {};
        file = fingerprint.path;
        diagnostic = fingerprint.diagnostic;
        first_n = seen.event.n;
    }
    ++count;
    last_n = seen.event.n;
    HEADWAY_ASSERT(first_n <= last_n);
}

Severity SameFileError::severity(Thresholds limits, const Ledger&) const {
    return severity_of(count, limits);
}

Finding SameFileError::finding(const Ledger&) const {
    HEADWAY_ASSERT(count > 0);
    HEADWAY_ASSERT(first_n <= last_n);
    Finding finding;
    finding.count = count;
    finding.identity = file;
    finding.evidence = {first_n, last_n};
    finding.reason =
        "the same error on the same file " + times(count) + " since #" + std::to_string(first_n);
    return finding;
}

bool SameFileError::is_valid(const Ledger&, std::uint64_t newest) const {
    return sound::in_order(*this, newest);
}

}  // namespace headway::core
