#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "core/detector.hpp"

namespace headway::core {

/// Estimates of progress that do not move (detection.md D20, first design "3 estimates within 5
/// points"): the last kWindow lie within kRange points of each other. An estimate is a word, not a
/// deed: outside the strict profile it only corroborates, and only where nothing new was learnt
/// either.
struct EstimatePlateau {
    static constexpr DetectorId kId = DetectorId::kEstimatePlateau;
    static constexpr std::size_t kWindow = 3;
    static constexpr double kRange = 5.0;

    std::vector<double> estimates;      ///< the last kWindow
    std::vector<std::uint64_t> events;  ///< theirs
    bool quiet = false;                 ///< nothing hard happened since the first of them

    void observe(const Observation& seen);
    Rung rung(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;

    bool operator==(const EstimatePlateau&) const = default;
    static constexpr auto fields() {
        using D = EstimatePlateau;
        return std::tuple{field("estimates", &D::estimates), field("events", &D::events),
                          field("quiet", &D::quiet)};
    }
};

static_assert(Detector<EstimatePlateau>);

}  // namespace headway::core
