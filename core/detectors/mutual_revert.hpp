// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/detector.hpp"

namespace headway::core {

/// This session and another one of its run revert each other's content of a file in turns
/// (docs/detection.md, section 5.3). RunFiles detects it and writes a `run.conflict` for each
/// reversal from the third on. Hard progress, a user message and advice taken restart the count;
/// the other session has its own.
struct MutualRevert {
    static constexpr DetectorId kId = DetectorId::kMutualRevert;

    std::uint64_t reversals = 0;
    std::uint64_t path = 0;
    std::vector<std::uint64_t> evidence;

    void observe(const Observation& seen);
    Rung rung(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;

    bool operator==(const MutualRevert&) const = default;
    static constexpr auto fields() {
        using D = MutualRevert;
        return field_list(field("reversals", &D::reversals), field("path", &D::path),
                          field("evidence", &D::evidence));
    }
};
static_assert(Detector<MutualRevert>);

}  // namespace headway::core
