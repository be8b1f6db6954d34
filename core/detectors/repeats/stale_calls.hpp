// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Calls in a row whose answers the agent already had, in any order (docs/detection.md, section
/// 5.1). The run of these calls ends with one new question that brings news, or with kNewQuestions
/// new questions in a row that bring none. Waits, acknowledged actions and failures without output
/// are left out. Searches that find nothing are counted separately.
struct StaleCalls {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kRepeat,
        .balanced = {8, 10},  // calls in a row
        .advice =
            "All of this is known already: write down what it says, then do something that "
            "changes it.",
    };
    static constexpr std::uint32_t kNewQuestions = 5;
    static constexpr std::uint32_t kKnownAnswers = 20;  ///< known answers in a row, including those
                                                        ///< to new questions

    static constexpr std::uint32_t kMisses = 20;

    std::uint32_t run = 0;
    std::uint32_t halves = 0;  ///< twice the number of calls; an action on a screen or in a game
                               ///< counts half
    std::uint32_t fresh = 0;   ///< new questions in a row without news
    std::uint32_t misses = 0;  ///< searches in a row that found nothing, whatever they searched for
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const StaleCalls&) const = default;
    static constexpr auto fields() {
        using D = StaleCalls;
        return field_list(field("run", &D::run), field("halves", &D::halves),
                          field("fresh", &D::fresh), field("first_n", &D::first_n),
                          field("last_n", &D::last_n), field("misses", &D::misses));
    }

private:
    void end_row();
    void count_miss(const CallSeen& call, Tier tier);
};

static_assert(Detector<StaleCalls>);

}  // namespace headway::core
