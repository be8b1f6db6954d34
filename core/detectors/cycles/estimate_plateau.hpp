// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/lazy_optional.hpp"
#include "core/detection/detector.hpp"

namespace headway::core {

/// The last EstimatePlateau::kWindow estimates of the agent, or of all judges, in percent, and
/// their events.
struct EstimateRow {
    std::vector<double> percents;
    std::vector<std::uint64_t> events;
    bool operator==(const EstimateRow&) const = default;
    static constexpr auto fields() {
        return field_list(field("percents", &EstimateRow::percents),
                          field("events", &EstimateRow::events));
    }
};

/// Estimates of progress that do not change (docs/detection.md, section 5): the last kWindow
/// estimates lie within kRange points of each other. Estimates prove nothing. Therefore, outside
/// the strict profile, a plateau makes a session suspect at most. This needs Thresholds::suspect
/// estimates with no proof (P1 to P4) in between, and no call in flight. The estimates of judges
/// are kept separately: a plateau consists of the agent's estimates only, or of the judges'
/// estimates only. A plateau of the judges' estimates is a claim only if Thresholds::stuck is not 0
/// (docs/first-designs.md). Fallback estimates have no author and are ignored.
struct EstimatePlateau {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kPlan,
        .balanced = {5, 0},  // estimates within 5 points
        .strict = {3, 3},
    };
    static constexpr std::size_t kWindow = 3;
    static constexpr double kRange = 5.0;

    EstimateRow own;         ///< the agent's estimates
    double idle_at = 0;      ///< the first of the estimates that `idle` counts
    std::uint32_t idle = 0;  ///< number of the agent's estimates since the last proof that lie
                             ///< within kRange points of `idle_at`
    LazyOptional<EstimateRow> judged;  ///< the judges' estimates

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
