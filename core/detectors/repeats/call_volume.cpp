// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/repeats/call_volume.hpp"

#include "core/base/assert.hpp"

namespace headway::core {

void CallVolume::observe(const Observation& seen) {
    if (seen.call != nullptr) ++calls;
    HEADWAY_ASSERT(calls <= seen.event.n);
}

Severity CallVolume::severity(Thresholds limits, const Ledger&) const {
    return severity_of(calls, limits);
}

Finding CallVolume::finding(const Ledger&) const {
    HEADWAY_ASSERT(calls > 0);
    Finding finding;
    finding.count = static_cast<std::uint32_t>(calls);
    finding.identity = 1;
    finding.reason = std::to_string(calls) + " calls, more than the policy of this session allows";
    return finding;
}

bool CallVolume::is_valid(const Ledger&, std::uint64_t newest) const {
    return calls <= newest;
}

}  // namespace headway::core
