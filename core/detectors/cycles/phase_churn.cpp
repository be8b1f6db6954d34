// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/cycles/phase_churn.hpp"

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"

namespace headway::core {

void PhaseChurn::observe(const Observation& seen) {
    if (seen.user_message || seen.call != nullptr || seen.tier != Tier::kNone) *this = {};
    if (!std::holds_alternative<PhaseStarted>(seen.event.payload)) return;
    if (++count == 1) first_n = seen.event.n;
    last_n = seen.event.n;
    HEADWAY_ASSERT(first_n <= last_n);
}

Severity PhaseChurn::severity(Thresholds limits, const Ledger&) const {
    return severity_of(count, limits);
}

Finding PhaseChurn::finding(const Ledger&) const {
    HEADWAY_ASSERT(count > 0);
    Finding finding;
    finding.count = count;
    finding.identity = 1;
    finding.evidence = {first_n, last_n};
    finding.reason = std::to_string(count) +
                     " phases were entered with nothing done in them, since #" +
                     std::to_string(first_n);
    return finding;
}

bool PhaseChurn::is_valid(const Ledger&, std::uint64_t newest) const {
    return sound::in_order(*this, newest);
}

}  // namespace headway::core
