// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detector.hpp"

namespace headway::core {

/// Repeated compactions with nothing proven between (docs/detection.md, section 5.5).
struct CompactionChurn {
    static constexpr DetectorId kId = DetectorId::kCompactionChurn;

    std::uint32_t count = 0;
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;

    void observe(const Observation& seen);
    Rung rung(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;

    bool operator==(const CompactionChurn&) const = default;
    static constexpr auto fields() {
        using D = CompactionChurn;
        return field_list(field("count", &D::count), field("first_n", &D::first_n),
                          field("last_n", &D::last_n));
    }
};

static_assert(Detector<CompactionChurn>);

}  // namespace headway::core
