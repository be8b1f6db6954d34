// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/lazy_optional.hpp"
#include "core/detection/detector.hpp"

namespace headway::core {

/// The last EstimatePlateau::kWindow estimates of one author, in points, and their events.
struct EstimateRow {
    std::vector<double> percents;
    std::vector<std::uint64_t> events;
    bool operator==(const EstimateRow&) const = default;
    static constexpr auto fields() {
        return field_list(field("percents", &EstimateRow::percents),
                          field("events", &EstimateRow::events));
    }
};

/// Estimates of progress that do not move (docs/detection.md, section 5.5): the last kWindow lie
/// within kRange points of each other. An estimate is not evidence: outside the strict profile it
/// only suspects, and only after Thresholds::suspect estimates with nothing proven between, P1 to
/// P4, and no call in flight. A judge's estimates are a separate row, so that they neither hide nor
/// form the agent's plateau; they claim only if `stuck` is set (docs/first-designs.md). Fallbacks
/// have no author and are ignored.
struct EstimatePlateau {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kPlan,
        .balanced = {5, 0},  // estimates within 5 points
        .strict = {3, 3},
    };
    static constexpr std::size_t kWindow = 3;
    static constexpr double kRange = 5.0;

    EstimateRow own;                   ///< by the agent
    double idle_at = 0;                ///< the first estimate with nothing proven since
    std::uint32_t idle = 0;            ///< estimates since then
    LazyOptional<EstimateRow> judged;  ///< by judges

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const EstimatePlateau&) const = default;
    static constexpr auto fields() {
        using D = EstimatePlateau;
        return field_list(field("own", &D::own), field("idle_at", &D::idle_at),
                          field("idle", &D::idle), field("judged", &D::judged));
    }
};

static_assert(Detector<EstimatePlateau>);

}  // namespace headway::core
