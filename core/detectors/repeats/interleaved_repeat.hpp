// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// The same answer to the same question, with any other calls in between but without hard progress
/// (docs/detection.md, section 5). The ledger counts the answers within one epoch. Empty answers
/// and acknowledgements are not counted, except those of actions on a page or in a game. Several
/// rounds of soft progress without a further repeat end the claim, and so does a new task from the
/// user.
struct InterleavedRepeat {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kRepeat,
        .balanced = {4, 8},  // equal answers in one epoch
        .advice = "The answer is known: work with it, or change something before you look again.",
    };

    /// Factor of the thresholds for an action on a page or in a game: an agent that moves around
    /// comes back to the same view.
    static constexpr std::uint32_t kActPatience = 4;
    /// Factor of the thresholds if, between two repeats, an awaited thing changed or the agent did
    /// something new and got an answer.
    static constexpr std::uint32_t kMovedPatience = 4;

    std::uint64_t question = 0;
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;
    std::uint32_t repeats = 0;
    std::uint32_t patience = 1;
    std::uint32_t epoch = 0;
    std::uint32_t informed = 0;  ///< Ledger::informed_rounds at the last repeat

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const InterleavedRepeat&) const = default;
    static constexpr auto fields() {
        using D = InterleavedRepeat;
        return field_list(field("question", &D::question), field("first_n", &D::first_n),
                          field("last_n", &D::last_n), field("repeats", &D::repeats),
                          field("patience", &D::patience), field("epoch", &D::epoch),
                          field("informed", &D::informed));
    }
};

static_assert(Detector<InterleavedRepeat>);

}  // namespace headway::core
