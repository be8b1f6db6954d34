// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/failures/same_file_error.hpp"

#include "core/base/assert.hpp"
#include "core/base/sound_rules.hpp"

namespace headway::core {

void SameFileError::observe(const Observation& seen) {
    if (seen.phase_changed || seen.user_message || seen.nudge_taken || is_hard(seen.tier))
        *this = {};
    if (seen.call == nullptr || seen.call->neutral) return;
    const CallPrint& print = seen.call->print;
    if (print.path == 0) return;
    if (seen.call->call.ok) {
        if (print.path == file && print.kind != CallKind::kRead) *this = {};
        return;
    }
    if (!seen.call->failed()) return;
    if (print.path != file || print.diagnostic != diagnostic) {
        *this = {};
        file = print.path;
        diagnostic = print.diagnostic;
        first_n = seen.event.n;
    }
    ++count;
    last_n = seen.event.n;
    HEADWAY_ASSERT(first_n <= last_n);
}

Rung SameFileError::rung(Thresholds limits, const Ledger&) const {
    return rung_of(count, limits);
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

bool SameFileError::is_sound(const Ledger&, std::uint64_t newest) const {
    return sound::in_order(*this, newest);
}

}  // namespace headway::core
