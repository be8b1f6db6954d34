#include "core/detectors/estimate_plateau.hpp"

#include <algorithm>

namespace headway::core {

void EstimatePlateau::observe(const Observation& seen) {
    if (seen.user_message || seen.phase_changed || seen.nudge_taken || is_hard(seen.tier)) {
        *this = {};
    }
    const auto* progress = std::get_if<ProgressEstimated>(&seen.event.payload);
    if (progress == nullptr) return;
    if (estimates.size() == kWindow) {
        estimates.erase(estimates.begin());
        events.erase(events.begin());
    }
    estimates.push_back(progress->percent);
    events.push_back(seen.event.n);
    quiet = seen.ledger.quiet_rounds > 0;
}

Rung EstimatePlateau::rung(Thresholds limits, const Ledger&) const {
    if (estimates.size() < kWindow) return Rung::kNone;
    const auto [low, high] = std::minmax_element(estimates.begin(), estimates.end());
    if (*high - *low >= kRange) return Rung::kNone;
    if (limits.stuck != 0) return Rung::kStuck;
    return limits.suspect != 0 && quiet ? Rung::kSuspect : Rung::kNone;
}

Finding EstimatePlateau::finding(const Ledger&) const {
    Finding finding;
    finding.count = kWindow;
    finding.identity = 1;
    finding.evidence = events;
    finding.reason = "three estimates of progress in a row lie within five points";
    return finding;
}

}  // namespace headway::core
