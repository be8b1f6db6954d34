// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Repeated compactions of the context with nothing proven in between (docs/detection.md, section
/// 5.5).
struct CompactionChurn {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kPlan,
        .balanced = {3, 5},  // compactions with nothing proven in between
        .advice = "Write down what is known in a file, then do one small step.",
    };

    std::uint32_t count = 0;
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const CompactionChurn&) const = default;
    static constexpr auto fields() {
        using D = CompactionChurn;
        return field_list(field("count", &D::count), field("first_n", &D::first_n),
                          field("last_n", &D::last_n));
    }
};

static_assert(Detector<CompactionChurn>);

}  // namespace headway::core
