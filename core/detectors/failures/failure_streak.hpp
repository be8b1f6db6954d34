// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Failures of one tool with one error (kind and first line); several failures in one round count
/// once.
struct FailureStreak {
    std::uint64_t tool = 0;
    std::uint64_t diagnostic = 0;
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;
    std::uint32_t count = 0;
    std::uint32_t round = 0;
    std::uint32_t patience = 1;
    std::uint32_t fresh = 0;   ///< number of "not found" answers to questions never asked before
    std::uint32_t tries = 0;   ///< number of failures of edits never tried before
    std::uint64_t target = 0;  ///< the last target of a sweep; 0 = no sweep
    bool operator==(const FailureStreak&) const = default;
    static constexpr auto fields() {
        using S = FailureStreak;
        return field_list(field("tool", &S::tool), field("diagnostic", &S::diagnostic),
                          field("first_n", &S::first_n), field("last_n", &S::last_n),
                          field("count", &S::count), field("round", &S::round),
                          field("patience", &S::patience), field("fresh", &S::fresh),
                          field("tries", &S::tries), field("target", &S::target));
    }
};

/// The same tool fails with the same error, whatever its arguments and whatever happens in between
/// (docs/detection.md, section 5). Probes of different targets that are not there are counted as
/// one error, because each message may name its target. Failed tests are results, not failures. A
/// success of the tool, hard progress and a new phase restart the count.
struct FailureStreaks {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kFailure,
        .balanced = {4, 8},  // failures of one tool with one error
        .advice =
            "This tool keeps failing in the same way: read its description or the current state, "
            "or use another tool.",
    };

    /// Number of `fresh` failures that count as one, because a search through many places misses
    /// most of the time.
    static constexpr std::uint32_t kFreshWeight = 6;
    /// Number of `tries` that count as one, because each such edit is a new attempt to match the
    /// text.
    static constexpr std::uint32_t kTryWeight = 2;

    std::vector<FailureStreak> streaks;  ///< at most limits::kFailureStreaksMax
    bool user_spoke = false;             ///< a user message came after the last failure: the
                                         ///< detector claims nothing before the next failure

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const FailureStreaks&) const = default;
    static constexpr auto fields() {
        return field_list(field("streaks", &FailureStreaks::streaks),
                          field("user_spoke", &FailureStreaks::user_spoke));
    }

private:
    const FailureStreak* longest() const;
    void fail(const CallSeen& call, std::uint64_t tool, std::uint64_t n, std::uint32_t round);
    FailureStreak& streak_of(std::uint64_t tool, std::uint64_t diagnostic);
};

static_assert(Detector<FailureStreaks>);

}  // namespace headway::core
