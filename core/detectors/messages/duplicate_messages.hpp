// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "core/detection/detector.hpp"

namespace headway::core {

/// The agent repeats the same message with no tool result in between (docs/detection.md, section
/// 5.4). White space and case are ignored. A message of fewer than kWordsMin words may be a
/// fragment of a stream, so `stuck` then needs two thirds more repeats. If failed tests follow each
/// repeat, the agent insists on a claim that the tests refute: then `stuck` needs no more repeats
/// than `suspect`.
struct DuplicateMessages {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kText,
        .balanced = {3, 6},  // messages
        .strict = {3, 3},
        .advice = "You said that already: act, or say that the task is done.",
    };
    static constexpr std::uint32_t kWordsMin = 5;

    std::uint64_t message = 0;
    std::uint32_t words = 0;
    std::uint32_t count = 0;
    std::uint32_t denied = 0;    ///< repeats followed by a failed test
    std::uint64_t denied_n = 0;  ///< event of the last such repeat
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const DuplicateMessages&) const = default;
    static constexpr auto fields() {
        using D = DuplicateMessages;
        return field_list(field("message", &D::message), field("words", &D::words),
                          field("denied", &D::denied), field("denied_n", &D::denied_n),
                          field("count", &D::count), field("first_n", &D::first_n),
                          field("last_n", &D::last_n));
    }
};

static_assert(Detector<DuplicateMessages>);

/// The agent's own words in a message, or empty for messages of users, tools and processes. Pure.
std::string_view words_of_agent(const Payload& payload);

}  // namespace headway::core
