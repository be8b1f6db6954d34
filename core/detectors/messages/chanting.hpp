// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "core/detection/detector.hpp"

namespace headway::core {

/// A message that ends in repeated words (docs/detection.md, section 5). Among the last
/// kTokensMax tokens, a sequence of at most kPeriodMax tokens repeats up to the end, and the
/// repetitions span at least kSpanMin tokens. Code blocks, tables and horizontal rules repeat by
/// nature and are skipped.
struct Chanting {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kText, .balanced = {4, 12},  // repeats at the end of a message
    };
    static constexpr std::size_t kTokensMax = 400;
    static constexpr std::size_t kPeriodMax = 16;
    static constexpr std::size_t kSpanMin = 12;

    std::uint32_t repeats = 0;  ///< repeats_at_end() of the last message
    std::uint64_t n = 0;

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const Chanting&) const = default;
    static constexpr auto fields() {
        return field_list(field("repeats", &Chanting::repeats), field("n", &Chanting::n));
    }
};

static_assert(Detector<Chanting>);

/// How many times the words at the end of `text` occur one after another; 1 = no repetition. Pure.
std::uint32_t repeats_at_end(std::string_view text);

}  // namespace headway::core
