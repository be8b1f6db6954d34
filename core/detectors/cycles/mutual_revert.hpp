// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/detection/detector.hpp"

namespace headway::core {

/// This session and another session of its run keep reverting each other's version of a file
/// (docs/detection.md, section 5). RunFiles detects this, and each reversal from the third on
/// causes a `run.conflict`. The count restarts after hard progress, after a user message, and when
/// the agent follows advice; the other session keeps its own count.
struct MutualRevert {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kEdit,
        .balanced = {3, 5},  // reversals by two sessions
        .advice =
            "Leave the file to one of the two: agree on one version with the other session, or "
            "work on something else until it is done with it.",
    };

    std::uint64_t reversals = 0;
    std::uint64_t path = 0;
    std::vector<std::uint64_t> evidence;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const MutualRevert&) const = default;
    static constexpr auto fields() {
        using D = MutualRevert;
        return field_list(field("reversals", &D::reversals), field("path", &D::path),
                          field("evidence", &D::evidence));
    }
};
static_assert(Detector<MutualRevert>);

}  // namespace headway::core
