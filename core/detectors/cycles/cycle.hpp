// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Repeated sequences of calls with the same results (docs/detection.md, section 5). For each
/// period p from 2 to kPeriodMax, the detector keeps the length of the current run of calls with
/// call[i] = call[i-p]. A lap is p calls; an incomplete lap is not counted for `stuck`. A single
/// question with alternating answers is not a cycle. The end of an epoch ends every run, and a run
/// spans at most one user message.
struct Cycle {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kRepeat,
        .balanced = {2, 3},  // laps
        .advice =
            "Leave this sequence: write down what each of its results told you, then take a step "
            "that is not part of it.",
    };
    /// Factor of the thresholds for laps of two actions in a game or on a page. It decreases by one
    /// for each further action in the lap.
    static constexpr std::uint32_t kActPatience = 4;
    /// Factor of the thresholds for laps of one step (of a machine, or in a list) and one query,
    /// and for that query alone. 18 steps of a machine until it touches something are ordinary
    /// work.
    static constexpr std::uint32_t kStepPatience = 12;
    /// For laps of this many actions and more, the factor is 1: an agent that returns to so many
    /// views in the same order is in a loop.
    static constexpr std::size_t kLongCircle = 5;
    static constexpr std::size_t kPeriodMax = 20;

    std::vector<std::uint32_t> matched;  ///< run lengths by period from 2; empty at first
    std::uint32_t epoch = 0;
    bool user_spoke = false;  ///< a user message came after the last call: the detector claims
                              ///< nothing before the next call

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const Cycle&) const = default;
    static constexpr auto fields() {
        return field_list(field("matched", &Cycle::matched), field("epoch", &Cycle::epoch),
                          field("user_spoke", &Cycle::user_spoke));
    }

private:
    std::size_t period(const Ledger& ledger) const;
};

static_assert(Detector<Cycle>);

}  // namespace headway::core
