// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>

#include "core/base/assert.hpp"
#include "core/detection/detector.hpp"

namespace headway::core {

void book(Ledger& ledger, Tier tier, std::uint64_t n, bool telling) {
    HEADWAY_ASSERT(ledger.hard_n <= n && ledger.moved_n <= n);
    if (telling || tier != Tier::kNone) ledger.round_counts = true;
    ledger.round_tier = std::max(ledger.round_tier, tier);
    HEADWAY_ASSERT(ledger.round_counts || ledger.round_tier == Tier::kNone);
    if (tier == Tier::kNone) return;
    if (tier == Tier::kInformation || tier == Tier::kAnswerChanged) ledger.moved_n = n;
    if (is_hard(tier)) {
        ledger.hard_n = n;
        ledger.hard_round = ledger.rounds;
        ledger.unsure_edits = 0;
    }
    if (is_hard(tier) || tier == Tier::kAnswerChanged) ++ledger.epoch;
}

std::string since_change(const Ledger& ledger) {
    const std::string since =
        ledger.hard_n == 0 ? "the start" : "#" + std::to_string(ledger.hard_n);
    if (ledger.unsure_edits == 0) return ", and no change was reported since " + since;
    if (ledger.unsure_edits == 1)
        return "; since " + since + " there was 1 edit, and what it changed is not known";
    return "; since " + since + " there were " + std::to_string(ledger.unsure_edits) +
           " edits, and what they changed is not known";
}

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
