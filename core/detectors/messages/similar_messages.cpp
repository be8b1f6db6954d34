// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/messages/similar_messages.hpp"

#include <array>
#include <bit>
#include <string_view>

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"
#include "core/detectors/messages/duplicate_messages.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

static_assert(SimilarMessages::kDistanceMax >= 0 && SimilarMessages::kDistanceMax < 32,
              "half of 64 bits is what unlike messages differ in");

/// A fast hash of one word, case-insensitive (FNV-1a).
std::uint64_t word_hash(std::string_view word) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (char c : word) {
        if (!is_word(c)) continue;
        hash = (hash ^ static_cast<unsigned char>(lower(c))) * 0x100000001b3ULL;
    }
    return hash;
}

/// Counts for each of 64 bits how many numbers have it. Number k of the planes holds digit k of all
/// counts, so that a number is added to all of them at once, and most often to two planes.
class BitCounts {
public:
    void add(std::uint64_t number) {
        for (std::size_t k = 0; number != 0; ++k) {
            HEADWAY_ASSERT(k < planes_.size());
            const std::uint64_t carried = planes_[k] & number;
            planes_[k] ^= number;
            number = carried;
        }
    }

    /// The bits that were counted more than `limit` times.
    std::uint64_t above(std::uint32_t limit) const {
        std::uint64_t more = 0;
        std::uint64_t equal = ~std::uint64_t{0};  // so far, from the highest digit on
        for (std::size_t k = planes_.size(); k-- > 0;) {
            const bool digit = ((limit >> k) & 1U) != 0;
            if (!digit) more |= equal & planes_[k];
            equal &= digit ? planes_[k] : ~planes_[k];
        }
        return more;
    }

private:
    std::array<std::uint64_t, 32> planes_{};
};

/// Simhash over single words; sets `words`.
std::uint64_t simhash_of(std::string_view text, std::uint32_t& words) {
    BitCounts counts;
    for (std::size_t at = 0; at < text.size();) {
        while (at < text.size() && is_space(text[at]))
            ++at;
        std::size_t end = at;
        while (end < text.size() && !is_space(text[end]))
            ++end;
        if (end == at) break;
        ++words;
        counts.add(word_hash(text.substr(at, end - at)) * 0x9e3779b97f4a7c15ULL);
        at = end;
    }
    HEADWAY_ASSERT(words <= text.size());
    return counts.above(words / 2);  // what most words have
}

}  // namespace

void SimilarMessages::observe(const Observation& seen) {
    const bool acted = std::holds_alternative<ToolFinished>(seen.event.payload);
    const bool spoken_to = seen.user_message || seen.other_spoke || seen.woken;
    if (acted || spoken_to || seen.nudge_taken) *this = {};
    const std::string_view text = words_of_agent(seen.event.payload);
    if (text.empty()) return;
    std::uint32_t words = 0;
    const std::uint64_t simhash = simhash_of(text, words);
    if (words < kWordsMin) return;
    alike.clear();
    for (const MessageSketch& sketch : sketches) {
        if (std::popcount(sketch.simhash ^ simhash) <= kDistanceMax) alike.push_back(sketch.n);
    }
    alike.push_back(seen.event.n);
    if (sketches.size() == limits::kMessagesMax) sketches.erase(sketches.begin());
    HEADWAY_ASSERT(sketches.empty() || sketches.back().n < seen.event.n);
    sketches.push_back({simhash, seen.event.n});
    HEADWAY_ASSERT(sketches.size() <= limits::kMessagesMax);
    HEADWAY_ASSERT(alike.size() <= limits::kMessagesMax + 1);
}

Severity SimilarMessages::severity(Thresholds limits, const Ledger&) const {
    return severity_of(alike.size(), limits);
}

Finding SimilarMessages::finding(const Ledger&) const {
    HEADWAY_ASSERT(!alike.empty());
    Finding finding;
    finding.count = static_cast<std::uint32_t>(alike.size());
    finding.identity = 1;
    finding.evidence = alike;
    finding.reason = std::to_string(alike.size()) + " messages that say much the same since #" +
                     std::to_string(alike.front()) + ", with no action between";
    return finding;
}

bool SimilarMessages::is_valid(const Ledger&, std::uint64_t newest) const {
    return sound::by_event(sketches, newest) && sound::fits(sketches, limits::kMessagesMax) &&
           sound::fits(alike, limits::kMessagesMax + 1);
}

}  // namespace headway::core
