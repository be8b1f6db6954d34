#pragma once

#include <cstdint>
#include <vector>

#include "core/detector.hpp"

namespace headway::core {

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

    std::vector<double> estimates;      ///< the last kWindow of the agent
    std::vector<std::uint64_t> events;  ///< theirs
    double idle_at = 0;                 ///< the first of a row with nothing proven between
    std::uint32_t idle = 0;             ///< in that row
    std::vector<double> judged;         ///< the last kWindow of judges
    std::vector<std::uint64_t> judged_events;

    void observe(const Observation& seen);
    Rung rung(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;

    bool operator==(const EstimatePlateau&) const = default;
    static constexpr auto fields() {
        using D = EstimatePlateau;
        return field_list(field("estimates", &D::estimates), field("events", &D::events),
                          field("idle_at", &D::idle_at), field("idle", &D::idle),
                          field("judged", &D::judged), field("judged_events", &D::judged_events));
    }
};

static_assert(Detector<EstimatePlateau>);

}  // namespace headway::core
