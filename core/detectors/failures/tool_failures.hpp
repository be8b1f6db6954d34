// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Consecutive failures of one tool, with any error (docs/first-designs.md: more than three). A
/// call that exceeds its time limit counts as a failure. A success of any tool or another tool's
/// failure restarts the count.
struct ToolFailures {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kFailure,
        .balanced = {0, 0},  // off; consecutive failures
        .strict = {8, 12},
    };

    std::uint64_t tool = 0;
    std::uint32_t count = 0;
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const ToolFailures&) const = default;
    static constexpr auto fields() {
        using D = ToolFailures;
        return field_list(field("tool", &D::tool), field("count", &D::count),
                          field("first_n", &D::first_n), field("last_n", &D::last_n));
    }
};

static_assert(Detector<ToolFailures>);

}  // namespace headway::core
