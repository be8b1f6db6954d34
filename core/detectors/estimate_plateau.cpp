#include "core/detectors/estimate_plateau.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace headway::core {

namespace {

void keep(std::vector<double>& estimates, std::vector<std::uint64_t>& events, double percent,
          std::uint64_t n) {
    if (estimates.size() == EstimatePlateau::kWindow) {
        estimates.erase(estimates.begin());
        events.erase(events.begin());
    }
    estimates.push_back(percent);
    events.push_back(n);
}

bool flat(const std::vector<double>& estimates) {
    if (estimates.size() < EstimatePlateau::kWindow) return false;
    const auto [low, high] = std::minmax_element(estimates.begin(), estimates.end());
    return *high - *low < EstimatePlateau::kRange;
}

}  // namespace

void EstimatePlateau::observe(const Observation& seen) {
    if (seen.user_message || seen.phase_changed || seen.nudge_taken || is_hard(seen.tier)) {
        *this = {};
    }
    if (seen.tier != Tier::kNone) idle = 0;
    const auto* progress = std::get_if<ProgressEstimated>(&seen.event.payload);
    if (progress == nullptr || progress->fallback) return;
    if (progress->by_judge()) {
        keep(judged, judged_events, progress->percent, seen.event.n);
        return;
    }
    keep(estimates, events, progress->percent, seen.event.n);
    if (seen.call_in_flight) return;
    if (idle == 0 || std::abs(progress->percent - idle_at) >= kRange) {
        idle = 0;
        idle_at = progress->percent;
    }
    ++idle;
}

Rung EstimatePlateau::rung(Thresholds limits, const Ledger&) const {
    if (limits.stuck != 0 && (flat(estimates) || flat(judged))) return Rung::kStuck;
    const bool stands = flat(estimates) && limits.suspect != 0 && idle >= limits.suspect;
    return stands ? Rung::kSuspect : Rung::kNone;
}

Finding EstimatePlateau::finding(const Ledger&) const {
    const bool own = flat(estimates);
    Finding finding;
    finding.count = own ? std::max<std::uint32_t>(kWindow, idle) : kWindow;
    finding.identity = 1;
    finding.evidence = own ? events : judged_events;
    finding.reason = "the last " + std::to_string(finding.count) + " estimates of progress " +
                     (own ? "" : "by a judge ") + "lie within five points";
    return finding;
}

}  // namespace headway::core
