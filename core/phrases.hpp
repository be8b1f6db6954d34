// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/words.hpp"

namespace headway::core {

/// Phrases that are looked for in a text in one pass, ASCII case aside: most places of a text are
/// dismissed by two characters. Phrases are lower case, of two characters or more.
template <std::size_t N>
class Phrases {
public:
    explicit constexpr Phrases(const std::array<std::string_view, N>& phrases) : phrases_(phrases) {
        for (const std::string_view phrase : phrases_)
            starts_[row_of(phrase[0])] |= 1U << row_of(phrase[1]);
    }

    /// Place in the list of the first phrase that stands anywhere in the text; N if there is none.
    constexpr std::size_t first_in(std::string_view text) const {
        std::size_t best = N;
        for (std::size_t at = 0; at + 1 < text.size() && best > 0; ++at) {
            if ((starts_[row_of(text[at])] >> row_of(text[at + 1]) & 1U) == 0) continue;
            for (std::size_t i = 0; i < best; ++i) {
                if (stands_at(text.substr(at), phrases_[i])) best = i;
            }
        }
        return best;
    }

    constexpr bool any_in(std::string_view text) const { return first_in(text) < N; }

    /// True if one of them begins a word of the text.
    constexpr bool any_word_in(std::string_view text) const {
        for (std::size_t at = 0; at + 1 < text.size(); ++at) {
            if ((starts_[row_of(text[at])] >> row_of(text[at + 1]) & 1U) == 0) continue;
            if (at > 0 && is_letter(text[at - 1])) continue;
            for (const std::string_view phrase : phrases_) {
                if (stands_at(text.substr(at), phrase)) return true;
            }
        }
        return false;
    }

private:
    /// The same for both cases of a letter.
    static constexpr std::size_t row_of(char c) { return static_cast<unsigned char>(c) & 31U; }

    static constexpr bool stands_at(std::string_view text, std::string_view phrase) {
        if (text.size() < phrase.size()) return false;
        for (std::size_t i = 0; i < phrase.size(); ++i) {
            if (lower(text[i]) != phrase[i]) return false;
        }
        return true;
    }

    std::array<std::string_view, N> phrases_;
    std::array<std::uint32_t, 32> starts_{};
};

}  // namespace headway::core
