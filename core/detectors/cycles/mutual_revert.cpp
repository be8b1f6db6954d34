// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/cycles/mutual_revert.hpp"

#include "core/base/assert.hpp"
#include "core/text/text.hpp"

namespace headway::core {

void MutualRevert::observe(const Observation& seen) {
    if (seen.user_message || seen.nudge_taken || is_hard(seen.tier)) *this = {};
    const auto* conflict = std::get_if<RunConflict>(&seen.event.payload);
    if (conflict == nullptr) return;
    reversals = conflict->reversals;
    path = digest_of(conflict->path).low;
    evidence = conflict->evidence;
}

Severity MutualRevert::severity(Thresholds limits, const Ledger&) const {
    return severity_of(reversals, limits);
}

Finding MutualRevert::finding(const Ledger&) const {
    HEADWAY_ASSERT(reversals > 0);
    Finding finding;
    finding.count = static_cast<std::uint32_t>(reversals);
    finding.identity = path;
    finding.evidence = evidence;
    finding.reason =
        "this session and another of its run took back each other's edits of one file " +
        times(reversals);
    return finding;
}

bool MutualRevert::is_valid(const Ledger&, std::uint64_t) const {
    return true;  // as the last conflict says
}

}  // namespace headway::core
