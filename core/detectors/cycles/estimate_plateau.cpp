// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/cycles/estimate_plateau.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"

namespace headway::core {

namespace {

static_assert(EstimatePlateau::kWindow >= 2, "one estimate is no row");
static_assert(EstimatePlateau::kWindow <= limits::kEvidenceMax, "all of them are evidence");

void keep(EstimateRow& row, double percent, std::uint64_t n) {
    HEADWAY_ASSERT(row.percents.size() == row.events.size());
    HEADWAY_ASSERT(row.events.empty() || row.events.back() < n);
    if (row.percents.size() == EstimatePlateau::kWindow) {
        row.percents.erase(row.percents.begin());
        row.events.erase(row.events.begin());
    }
    row.percents.push_back(percent);
    row.events.push_back(n);
    HEADWAY_ASSERT(row.events.size() <= EstimatePlateau::kWindow);
}

bool flat(const EstimateRow& row) {
    if (row.percents.size() < EstimatePlateau::kWindow) return false;
    const auto [low, high] = std::minmax_element(row.percents.begin(), row.percents.end());
    return *high - *low < EstimatePlateau::kRange;
}

bool row_is_sound(const EstimateRow& row, std::uint64_t newest) {
    return row.percents.size() == row.events.size() &&
           sound::each(row.events, EstimatePlateau::kWindow,
                       [newest](std::uint64_t n) { return n <= newest; });
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
        keep(judged.change(), progress->percent, seen.event.n);
        return;
    }
    keep(own, progress->percent, seen.event.n);
    if (seen.call_in_flight) return;
    if (idle == 0 || std::abs(progress->percent - idle_at) >= kRange) {
        idle = 0;
        idle_at = progress->percent;
    }
    ++idle;
}

Severity EstimatePlateau::severity(Thresholds limits, const Ledger&) const {
    if (limits.stuck != 0 && (flat(own) || flat(*judged))) return Severity::kStuck;
    const bool stands = flat(own) && limits.suspect != 0 && idle >= limits.suspect;
    return stands ? Severity::kSuspect : Severity::kNone;
}

Finding EstimatePlateau::finding(const Ledger&) const {
    const bool agents = flat(own);
    Finding finding;
    finding.count = agents ? std::max<std::uint32_t>(kWindow, idle) : kWindow;
    finding.identity = 1;
    finding.evidence = agents ? own.events : judged->events;
    HEADWAY_ASSERT(finding.evidence.size() == kWindow);
    finding.reason = "the last " + std::to_string(finding.count) + " estimates of progress " +
                     (agents ? "" : "by a judge ") + "lie within five points";
    return finding;
}

bool EstimatePlateau::is_valid(const Ledger&, std::uint64_t newest) const {
    return row_is_sound(own, newest) && row_is_sound(*judged, newest);
}

}  // namespace headway::core
