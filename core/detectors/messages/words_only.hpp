// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Messages, facts, plans, estimates, phases, states and starts of calls in a row with no finished
/// call in between (docs/detection.md, section 5.5): an agent that only says that it works.
/// Heartbeats are left to heartbeat_rule. Short messages may be parts of a stream and are left out.
struct WordsOnly {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kPlan,
        .balanced = {30, 0},  // events in a row
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
