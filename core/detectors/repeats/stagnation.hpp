// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// One tool gets varying questions and always gives the same answer, of at least a minimum length
/// (docs/detection.md, section 5), as in a search that finds nothing. A check for the presence of
/// many things has the same form, so `stuck` needs many questions.
struct Stagnation {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kRepeat,
        .balanced = {8, 60},  // different questions, one answer
        .advice = "Other words bring the same answer: look for it somewhere else.",
    };

    /// Factor of the thresholds if two answers alternate.
    static constexpr std::uint32_t kOfTwo = 2;

    std::uint64_t tool = 0;
    std::uint64_t outcome = 0;
    std::uint64_t other_outcome = 0;  ///< a second answer that alternates with the first; 0 = none
    std::uint32_t question = 0;       ///< a part of the last question
    std::uint32_t halves = 0;         ///< each question adds 2; a question with a short answer adds
                                      ///< 1
    std::uint32_t others = 0;         ///< calls of other tools since the last question
    std::uint32_t kin = 0;            ///< low half of CallFingerprint::kin of the first answer
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const Stagnation&) const = default;
    static constexpr auto fields() {
        using D = Stagnation;
        return field_list(field("tool", &D::tool), field("outcome", &D::outcome),
                          field("question", &D::question), field("halves", &D::halves),
                          field("others", &D::others), field("first_n", &D::first_n),
                          field("last_n", &D::last_n), field("other_outcome", &D::other_outcome),
                          field("kin", &D::kin));
    }
};

static_assert(Detector<Stagnation>);

}  // namespace headway::core
