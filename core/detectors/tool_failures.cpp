#include "core/detectors/tool_failures.hpp"

namespace headway::core {

void ToolFailures::observe(const Observation& seen) {
    if (seen.phase_changed || seen.user_message || seen.nudge_taken) *this = {};
    if (seen.call == nullptr || (seen.call->neutral && !seen.call->overran)) return;
    const std::uint64_t called = digest_of(seen.call->call.tool).low;
    if (seen.call->call.ok && !seen.call->overran) {
        *this = {};
        return;
    }
    if (called != tool) {
        *this = {};
        tool = called;
        first_n = seen.event.n;
    }
    ++count;
    last_n = seen.event.n;
}

Rung ToolFailures::rung(Thresholds limits, const Ledger&) const {
    return rung_of(count, limits);
}

Finding ToolFailures::finding(const Ledger&) const {
    Finding finding;
    finding.count = count;
    finding.identity = tool;
    finding.evidence = {first_n, last_n};
    finding.reason =
        "one tool failed " + times(count) + " in a row since #" + std::to_string(first_n);
    return finding;
}

}  // namespace headway::core
