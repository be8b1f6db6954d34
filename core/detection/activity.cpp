// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "core/base/assert.hpp"
#include "core/detection/ledger.hpp"

namespace headway::core {

std::string activity_of(const Ledger& ledger) {
    constexpr std::string_view kLetters = ".xiivs";  // by tier
    static_assert(kLetters.size() == EnumNames<Tier>::kNames.size());
    std::string text;
    for (int shift = 56; shift >= 0; shift -= 4) {  // fifteen, then the current one
        const std::uint64_t past = ledger.past_tiers >> shift & 0xf;
        HEADWAY_ASSERT(past <= kLetters.size());
        if (past != 0) text.push_back(kLetters[past - 1]);
    }
    if (ledger.rounds > 0) text.push_back(kLetters[static_cast<std::size_t>(ledger.round_tier)]);
    HEADWAY_ASSERT(text.size() <= 16);
    return text;
}

}  // namespace headway::core
