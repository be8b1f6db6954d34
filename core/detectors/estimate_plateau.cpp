#include "core/detectors/estimate_plateau.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace headway::core {

void EstimatePlateau::observe(const Observation& seen) {
    if (seen.user_message || seen.phase_changed || seen.nudge_taken || is_hard(seen.tier)) {
        *this = {};
    }
    if (seen.tier != Tier::kNone) idle = 0;
    const auto* progress = std::get_if<ProgressEstimated>(&seen.event.payload);
    if (progress == nullptr) return;
    if (estimates.size() == kWindow) {
        estimates.erase(estimates.begin());
        events.erase(events.begin());
    }
    estimates.push_back(progress->percent);
    events.push_back(seen.event.n);
    if (seen.call_in_flight) return;
    if (idle == 0 || std::abs(progress->percent - idle_at) >= kRange) {
        idle = 0;
        idle_at = progress->percent;
    }
    ++idle;
}

Rung EstimatePlateau::rung(Thresholds limits, const Ledger&) const {
    if (estimates.size() < kWindow) return Rung::kNone;
    const auto [low, high] = std::minmax_element(estimates.begin(), estimates.end());
    if (*high - *low >= kRange) return Rung::kNone;
    if (limits.stuck != 0) return Rung::kStuck;
    return limits.suspect != 0 && idle >= limits.suspect ? Rung::kSuspect : Rung::kNone;
}

Finding EstimatePlateau::finding(const Ledger&) const {
    Finding finding;
    finding.count = std::max<std::uint32_t>(kWindow, idle);
    finding.identity = 1;
    finding.evidence = events;
    finding.reason = "the last " + std::to_string(finding.count) +
                     " estimates of progress lie within five points";
    return finding;
}

}  // namespace headway::core
