// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Turns that only plan (docs/detection.md, section 5): plans, to-do lists and thoughts are
/// rewritten, with no other call in between.
struct PlanningOnly {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kPlan,
        .balanced = {9, 12},  // consecutive plans
        .advice = "The plan is good enough: carry out its first open step.",
    };

    /// Number of different thoughts that count as one plan, because an agent that thinks step by
    /// step has many.
    static constexpr std::uint32_t kThoughtsOfPlan = 3;

    /// Number of consecutive plans (calls and events), without new thoughts.
    std::uint32_t count = 0;
    std::uint32_t thoughts = 0;  ///< number of new thoughts among these plans
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const PlanningOnly&) const = default;
    static constexpr auto fields() {
        using D = PlanningOnly;
        return field_list(field("count", &D::count), field("first_n", &D::first_n),
                          field("last_n", &D::last_n), field("thoughts", &D::thoughts));
    }
};

static_assert(Detector<PlanningOnly>);

}  // namespace headway::core
