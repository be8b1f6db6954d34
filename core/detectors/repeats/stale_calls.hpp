// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Consecutive calls whose answers the agent already had (docs/detection.md, section 5). Their
/// order does not matter. The run of these calls ends with one new question that brings news, or
/// with kNewQuestions consecutive new questions that bring none. Waits, acknowledged actions and
/// failures without output are ignored. Searches that find nothing are counted separately.
struct StaleCalls {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kRepeat,
        .balanced = {8, 10},  // consecutive calls
        .advice =
            "All of this is known already: write down what it says, then do something that "
            "changes it.",
    };
    static constexpr std::uint32_t kNewQuestions = 5;
    /// This many consecutive known answers, including answers to new questions, are suspicious.
    static constexpr std::uint32_t kKnownAnswers = 20;

    static constexpr std::uint32_t kMisses = 20;
    /// This number of steps, each with a check that passes, is suspicious. The steps had no answer
    /// of their own and changed no file; a list with so many items is work for a script.
    static constexpr std::uint32_t kLaps = 100;

    std::uint32_t run = 0;
    std::uint32_t halves = 0;  ///< a call with the same answer as the last time adds 2, or 1 if it
                               ///< is an action on a screen or in a game
    std::uint32_t fresh = 0;   ///< consecutive new questions without news
    std::uint32_t misses = 0;  ///< consecutive searches that found nothing, whatever they searched
                               ///< for
    /// Number of actions after which a check passed (Entry::confirms), without other news.
    std::uint32_t laps = 0;
    std::uint32_t done_n = 0;  ///< the last of these actions: the low half of its number
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
                          field("last_n", &D::last_n), field("misses", &D::misses),
                          field("laps", &D::laps), field("done_n", &D::done_n));
    }

private:
    void end_row();
    void count_miss(const CallSeen& call, Tier tier);
};

static_assert(Detector<StaleCalls>);

}  // namespace headway::core
