// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Consecutive rounds without any proof, P1 to P4 (docs/detection.md, section 5): no new content,
/// no better test, no new or changed answer. After kUnprovenRounds rounds without a proof other
/// than edits, an edit is no longer a proof if tests or programs failed meanwhile and none
/// improved. The finding corroborates other findings. By itself it makes a session `stuck` under
/// the strict profile. Under other profiles this needs kStuckTimes times kAloneRounds (or
/// kAloneRoundsProven) rounds.
struct NoProgress {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kNothing,
        .balanced = {10, 0},  // rounds; corroborates
        .strict = {10, 10},
    };
    static constexpr std::uint32_t kUnprovenRounds = 16;  ///< eight edits, each with its test

    /// Rounds that suffice for a suspicion by themselves; the second number applies if the session
    /// has made hard progress before.
    static constexpr std::uint32_t kAloneRounds = 25;
    static constexpr std::uint32_t kAloneRoundsProven = 40;
    static constexpr std::uint32_t kStuckTimes = 2;  ///< factor of the two numbers above for
                                                     ///< `stuck`
    static constexpr std::uint32_t kAloneReds = 12;  ///< number of failed tests among edits that
                                                     ///< suffices for a claim

    std::uint32_t quiet = 0;
    std::uint32_t unproven = 0;
    /// Failed tests, and failures of programs that are run again, in the unproven rounds.
    std::uint32_t reds = 0;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    /// True if the rounds justify a suspicion without another finding.
    bool alone(const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool edits_in_vain() const;
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
