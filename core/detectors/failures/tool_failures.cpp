// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/failures/tool_failures.hpp"

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"

namespace headway::core {
namespace {

/// Neutral, unless it is a failure that a provider or the network caused: any error counts here.
bool waits(const CallSeen& call) {
    const bool refused = call.failed() && call.fingerprint.failure == FailureKind::kTransient;
    return call.neutral && !(refused && !call.slept && !call.fingerprint.running);
}

}  // namespace

void ToolFailures::observe(const Observation& seen) {
    if (seen.phase_changed || seen.user_message || seen.nudge_taken) *this = {};
    if (seen.call == nullptr || (waits(*seen.call) && !seen.call->overran)) return;
    const std::uint64_t called = digest_of(seen.call->call.tool).low;
    if (seen.call->call.ok && !seen.call->overran) {
        *this = {};
        return;
    }
    if (!seen.call->failed() && !seen.call->overran) return;
    if (called != tool) {
        *this = {};
        tool = called;
        first_n = seen.event.n;
    }
    ++count;
    last_n = seen.event.n;
    HEADWAY_ASSERT(first_n <= last_n);
}

Severity ToolFailures::severity(Thresholds limits, const Ledger&) const {
    return severity_of(count, limits);
}

Finding ToolFailures::finding(const Ledger&) const {
    HEADWAY_ASSERT(count > 0);
    HEADWAY_ASSERT(first_n <= last_n);
    Finding finding;
    finding.count = count;
    finding.identity = tool;
    finding.evidence = {first_n, last_n};
    finding.reason =
        "one tool failed " + times(count) + " in a row since #" + std::to_string(first_n);
    return finding;
}

bool ToolFailures::is_valid(const Ledger&, std::uint64_t newest) const {
    return sound::in_order(*this, newest);
}

}  // namespace headway::core
