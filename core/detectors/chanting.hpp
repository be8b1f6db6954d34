// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "core/detector.hpp"

namespace headway::core {

/// A message that ends in the same words over and over (detection.md D17): a period of at most
/// kPeriodMax tokens repeated at the end of its last kTokensMax tokens, kSpanMin tokens or more.
/// Code blocks, tables and rulers repeat by nature and are left out.
struct Chanting {
    static constexpr DetectorId kId = DetectorId::kChanting;
    static constexpr std::size_t kTokensMax = 400;
    static constexpr std::size_t kPeriodMax = 16;
    static constexpr std::size_t kSpanMin = 12;

    std::uint32_t repeats = 0;  ///< in the last message
    std::uint64_t n = 0;

    void observe(const Observation& seen);
    Rung rung(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;

    bool operator==(const Chanting&) const = default;
    static constexpr auto fields() {
        return field_list(field("repeats", &Chanting::repeats), field("n", &Chanting::n));
    }
};

static_assert(Detector<Chanting>);

/// How often the words at the end of `text` repeat; 1 = they do not. Pure.
std::uint32_t repeats_at_end(std::string_view text);

}  // namespace headway::core
