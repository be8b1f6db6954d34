// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/text/words.hpp"

namespace headway::core {

/// Phrases to find in a text in one pass, ignoring ASCII case. Two characters suffice to exclude
/// all phrases at nearly every place of a text. Phrases are lower case and have two characters or
/// more.
template <std::size_t N>
class Phrases {
public:
    explicit constexpr Phrases(const std::array<std::string_view, N>& phrases) : phrases_(phrases) {
        for (std::size_t i = 0; i < N; ++i) {
            starts_[row_of(phrases_[i][0])] |= 1U << row_of(phrases_[i][1]);
            begin_[row_of(phrases_[i][0])][i / 64] |= std::uint64_t{1} << i % 64;
        }
    }

    /// Lowest index of a phrase that occurs in the text; N if no phrase occurs.
    constexpr std::size_t first_in(std::string_view text) const {
        std::size_t best = N;
        each_start(text, [&](std::size_t at) {
            best = std::min(best, standing(text.substr(at)));
            return best > 0;
        });
        return best;
    }

    constexpr bool any_in(std::string_view text) const {
        return !each_start(text, [&](std::size_t at) { return standing(text.substr(at)) == N; });
    }

    /// True if a word of the text begins with a phrase.
    constexpr bool any_word_in(std::string_view text) const {
        return !each_start(text, [&](std::size_t at) {
            const bool within = at > 0 && is_letter(text[at - 1]);
            return within || standing(text.substr(at)) == N;
        });
    }

private:
    /// Calls `look` for each place whose two characters may begin a phrase, until `look` returns
    /// false. False if `look` returned false.
    template <class Look>
    constexpr bool each_start(std::string_view text, Look look) const {
        if (text.size() < 2) return true;
        std::uint32_t second = starts_[row_of(text[0])];
        for (std::size_t at = 1; at < text.size(); ++at) {
            const std::size_t row = row_of(text[at]);
            if ((second >> row & 1U) != 0 && !look(at - 1)) return false;
            second = starts_[row];
        }
        return true;
    }

    /// The row of a letter, the same for upper and lower case.
    static constexpr std::size_t row_of(char c) { return static_cast<unsigned char>(c) & 31U; }

    /// Index of the first phrase with which the text begins; N if no phrase matches.
    constexpr std::size_t standing(std::string_view text) const {
        const auto& begin = begin_[row_of(text[0])];
        for (std::size_t part = 0; part < begin.size(); ++part) {
            for (std::uint64_t left = begin[part]; left != 0; left &= left - 1) {
                const std::size_t i = 64 * part + static_cast<std::size_t>(std::countr_zero(left));
                if (stands_at(text, phrases_[i])) return i;
            }
        }
        return N;
    }

    static constexpr bool stands_at(std::string_view text, std::string_view phrase) {
        if (text.size() < phrase.size()) return false;
        for (std::size_t i = 0; i < phrase.size(); ++i) {
            if (lower(text[i]) != phrase[i]) return false;
        }
        return true;
    }

    std::array<std::string_view, N> phrases_;
    /// For each first byte, the second bytes of its phrases.
    std::array<std::uint32_t, 32> starts_{};
    /// For each first byte, the phrases that begin with it, as a bit set.
    std::array<std::array<std::uint64_t, (N + 63) / 64>, 32> begin_{};
};

}  // namespace headway::core
