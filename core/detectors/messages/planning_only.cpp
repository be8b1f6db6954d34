// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/messages/planning_only.hpp"

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"
#include "core/calls/tool_names.hpp"

namespace headway::core {

void PlanningOnly::observe(const Observation& seen) {
    if (seen.user_message || seen.nudge_taken) *this = {};
    const bool plan_event = std::holds_alternative<PlanUpdated>(seen.event.payload);
    if (seen.call == nullptr && !plan_event) return;
    const bool thinks = !plan_event && thinks_by_name(seen.call->call.tool);
    if (!plan_event && !thinks && seen.call->fingerprint.kind != CallKind::kPlan) {
        *this = {};
        return;
    }
    if (thoughts == 0 && count == 0) first_n = seen.event.n;
    // One that it never had may lead somewhere, also one of many.
    const bool new_thought = thinks && !seen.call->entry.known_question;
    ++(new_thought ? thoughts : count);
    last_n = seen.event.n;
    HEADWAY_ASSERT(first_n <= last_n);
}

Severity PlanningOnly::severity(Thresholds limits, const Ledger&) const {
    return severity_of(std::uint64_t{count} + thoughts / kThoughtsOfPlan, limits);
}

Finding PlanningOnly::finding(const Ledger&) const {
    HEADWAY_ASSERT(count > 0 || thoughts > 0);
    Finding finding;
    finding.count = count + thoughts;
    finding.identity = 1;
    finding.evidence = {first_n, last_n};
    finding.reason = "planned " + times(finding.count) + " in a row with nothing done since #" +
                     std::to_string(first_n);
    return finding;
}

bool PlanningOnly::is_valid(const Ledger&, std::uint64_t newest) const {
    return sound::in_order(*this, newest);
}

}  // namespace headway::core
