// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/detector.hpp"
#include "core/rare.hpp"

namespace headway::core {

/// The last EstimatePlateau::kWindow of somebody's estimates, in points, and their events.
struct EstimateRow {
    std::vector<double> percents;
    std::vector<std::uint64_t> events;
    bool operator==(const EstimateRow&) const = default;
    static constexpr auto fields() {
        return field_list(field("percents", &EstimateRow::percents),
                          field("events", &EstimateRow::events));
    }
};

/// Estimates of progress that do not move (detection.md D20, first design "3 estimates within 5
/// points"): the last kWindow lie within kRange points of each other. An estimate is a word, not a
/// deed: outside the strict profile it is a suspicion only, and only after Thresholds::suspect of
/// them with nothing proven between, P1 to P4, and no call in flight.
/// A judge's estimates are a row of their own, so that they neither hide the agent's nor make it;
/// they say something only where `stuck` is set, to the letter of the first design. Fallbacks are
/// nobody's estimates.
struct EstimatePlateau {
    static constexpr DetectorId kId = DetectorId::kEstimatePlateau;
    static constexpr std::size_t kWindow = 3;
    static constexpr double kRange = 5.0;

    EstimateRow own;           ///< of the agent
    double idle_at = 0;        ///< the first of a row with nothing proven between
    std::uint32_t idle = 0;    ///< in that row
    Rare<EstimateRow> judged;  ///< of judges

    void observe(const Observation& seen);
    Rung rung(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;

    bool operator==(const EstimatePlateau&) const = default;
    static constexpr auto fields() {
        using D = EstimatePlateau;
        return field_list(field("own", &D::own), field("idle_at", &D::idle_at),
                          field("idle", &D::idle), field("judged", &D::judged));
    }
};

static_assert(Detector<EstimatePlateau>);

}  // namespace headway::core
