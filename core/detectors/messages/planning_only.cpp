// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/messages/planning_only.hpp"

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"

namespace headway::core {

void PlanningOnly::observe(const Observation& seen) {
    if (seen.user_message || seen.nudge_taken) *this = {};
    const bool plan_event = std::holds_alternative<PlanUpdated>(seen.event.payload);
    if (seen.call == nullptr && !plan_event) return;
    if (!plan_event && seen.call->fingerprint.kind != CallKind::kPlan) {
        *this = {};
        return;
    }
    if (++count == 1) first_n = seen.event.n;
    last_n = seen.event.n;
    HEADWAY_ASSERT(first_n <= last_n);
}

Severity PlanningOnly::severity(Thresholds limits, const Ledger&) const {
    return severity_of(count, limits);
}

Finding PlanningOnly::finding(const Ledger&) const {
    HEADWAY_ASSERT(count > 0);
    Finding finding;
    finding.count = count;
    finding.identity = 1;
    finding.evidence = {first_n, last_n};
    finding.reason =
        "planned " + times(count) + " in a row with nothing done since #" + std::to_string(first_n);
    return finding;
}

bool PlanningOnly::is_valid(const Ledger&, std::uint64_t newest) const {
    return sound::in_order(*this, newest);
}

}  // namespace headway::core
