// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// The agent only says that it works (docs/detection.md, section 5): consecutive messages, facts,
/// plans, estimates, phases, states and starts of calls, with no finished call in between.
/// Heartbeats are left to the detector heartbeat_rule. Messages shorter than kMessageBytesMin are
/// ignored, because they may be parts of a stream.
struct WordsOnly {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kPlan,
        .balanced = {30, 0},  // consecutive events
        .advice = "Nothing has been done for a while: carry out the next step with a tool.",
    };
    static constexpr std::size_t kMessageBytesMin = 24;

    std::uint32_t count = 0;
    std::uint64_t first_n = 0;
    std::uint64_t last_n = 0;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const WordsOnly&) const = default;
    static constexpr auto fields() {
        using D = WordsOnly;
        return field_list(field("count", &D::count), field("first_n", &D::first_n),
                          field("last_n", &D::last_n));
    }
};

static_assert(Detector<WordsOnly>);

}  // namespace headway::core
