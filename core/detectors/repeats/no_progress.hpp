// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Rounds in a row that proved nothing, P1 to P4 (docs/detection.md, section 5.5): no new content,
/// no better test, no new or changed answer. Edits that no test confirms count as nothing after
/// kUnprovenRounds. Corroborates other findings; `stuck` by itself under the strict profile, else
/// after kStuckTimes times the rounds below.
struct NoProgress {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kNothing,
        .balanced = {10, 0},  // rounds; corroborates
        .strict = {10, 10},
    };
    static constexpr std::uint32_t kUnprovenRounds = 16;  ///< eight edits, each with its test

    /// Rounds that suffice for a suspicion; more if the session had hard progress before.
    static constexpr std::uint32_t kAloneRounds = 25;
    static constexpr std::uint32_t kAloneRoundsProven = 40;
    static constexpr std::uint32_t kStuckTimes = 2;  ///< factor of these rounds for `stuck` alone
    static constexpr std::uint32_t kAloneReds = 12;  ///< red tests among edits, for a claim alone

    std::uint32_t quiet = 0;
    std::uint32_t unproven = 0;
    std::uint32_t reds = 0;  ///< red tests among the unproven rounds

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    /// True if the rounds are a ground for a suspicion without another finding.
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
