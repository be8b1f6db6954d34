// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Consecutive phases in which nothing is done (docs/detection.md, section 5). Each new phase
/// clears the counts of errors, so endless changes of phase must be detected as well.
struct PhaseChurn {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kPlan,
        .balanced = {6, 10},  // phases with nothing done in them
        .advice = "Stay in one phase and do one piece of its work.",
    };

    std::uint32_t count = 0;
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const PhaseChurn&) const = default;
    static constexpr auto fields() {
        using D = PhaseChurn;
        return field_list(field("count", &D::count), field("first_n", &D::first_n),
                          field("last_n", &D::last_n));
    }
};

static_assert(Detector<PhaseChurn>);

}  // namespace headway::core
