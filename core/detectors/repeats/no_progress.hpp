// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Rounds in a row that proved nothing, P1 to P4 (docs/detection.md, section 5.5): no new content,
/// no better test, no new or changed answer. Edits that no test confirms count as nothing after
/// kUnprovenRounds. Corroborates other findings; `stuck` by itself only under the strict profile.
struct NoProgress {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kNothing,
        .balanced = {10, 0},  // rounds; corroborates
        .strict = {10, 10},
    };
    static constexpr std::uint32_t kUnprovenRounds = 16;  ///< eight edits, each with its test

    /// Alone they are a suspicion, later where the session has proven something before.
    static constexpr std::uint32_t kAloneRounds = 25;
    static constexpr std::uint32_t kAloneRoundsProven = 40;
    static constexpr std::uint32_t kStuckTimes = 2;  ///< this many times as many are `stuck` alone
    static constexpr std::uint32_t kAloneReds = 12;  ///< for rounds of edits

    std::uint32_t quiet = 0;
    std::uint32_t unproven = 0;
    std::uint32_t reds = 0;  ///< red tests among the unproven rounds

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    /// True if it is a ground for a suspicion without another finding.
    bool alone(const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const NoProgress&) const = default;
    static constexpr auto fields() {
        using D = NoProgress;
        return field_list(field("quiet", &D::quiet), field("unproven", &D::unproven),
                          field("reds", &D::reds));
    }
};

static_assert(Detector<NoProgress>);

}  // namespace headway::core
