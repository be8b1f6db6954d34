// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/detection/detector.hpp"

namespace headway::core {

/// A message from the agent: a 64-bit simhash of its words (Charikar, 2002).
struct MessageSketch {
    std::uint64_t simhash = 0;
    std::uint64_t n = 0;
    bool operator==(const MessageSketch&) const = default;
    static constexpr auto fields() {
        return field_list(field("simhash", &MessageSketch::simhash), field("n", &MessageSketch::n));
    }
};

/// Similar messages with no tool result in between (docs/detection.md, section 5): among the last
/// limits::kMessagesMax messages, simhashes that differ in at most kDistanceMax bits. Messages of
/// fewer than kWordsMin words are too short to compare. Similar messages only make a session
/// suspect, never stuck.
struct SimilarMessages {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kText,
        .balanced = {4, 0},  // messages
        .advice = "You said that already: act, or say that the task is done.",
    };
    static constexpr int kDistanceMax = 10;
    static constexpr std::uint32_t kWordsMin = 8;

    std::vector<MessageSketch> sketches;
    std::vector<std::uint64_t> alike;  ///< events of the last message and of those similar to it

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const SimilarMessages&) const = default;
    static constexpr auto fields() {
        return field_list(field("sketches", &SimilarMessages::sketches),
                          field("alike", &SimilarMessages::alike));
    }
};

static_assert(Detector<SimilarMessages>);

}  // namespace headway::core
