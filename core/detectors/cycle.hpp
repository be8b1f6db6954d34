// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/detector.hpp"

namespace headway::core {

/// Calls that come round again with the same results (detection.md D2): for each period p from 2 to
/// kPeriodMax the length of the current run with call[i] = call[i-p]. A lap is p calls; a part of
/// one does not count towards `stuck`. One call with several answers is no cycle. What ends an
/// epoch of progress ends every run, and at most one message of the user lies inside one.
struct Cycle {
    static constexpr DetectorId kId = DetectorId::kCycle;
    static constexpr std::size_t kPeriodMax = 8;

    std::vector<std::uint32_t> matched;  ///< by period, from 2; empty before the first call
    std::uint32_t epoch = 0;
    bool user_spoke = false;  ///< since the last call: nothing is claimed until the next

    void observe(const Observation& seen);
    Rung rung(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;

    bool operator==(const Cycle&) const = default;
    static constexpr auto fields() {
        return field_list(field("matched", &Cycle::matched), field("epoch", &Cycle::epoch),
                          field("user_spoke", &Cycle::user_spoke));
    }

private:
    std::size_t period(const Ledger& ledger) const;
};

static_assert(Detector<Cycle>);

}  // namespace headway::core
