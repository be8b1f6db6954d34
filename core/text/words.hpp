// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/limits.hpp"

// ASCII text, independent of locales. Pure.

namespace headway::core {

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// For each byte, whether words may contain it. This is a table, because is_word() reads every byte
/// of every report: one load costs less than three unpredictable comparisons.
inline constexpr std::array<bool, 256> kWordBytes = [] {
    std::array<bool, 256> table{};
    for (int c = 0; c < 128; ++c) {
        const char byte = static_cast<char>(c);
        table[static_cast<std::size_t>(c)] = is_digit(byte) || is_letter(byte) || byte == '_';
    }
    return table;
}();

constexpr bool is_word(char c) {
    return kWordBytes[static_cast<unsigned char>(c)];
}
constexpr bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}
constexpr char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}
inline std::string lower(std::string_view text) {
    std::string out{text};
    for (char& c : out)
        c = lower(c);
    return out;
}

/// True for a valid id of a session, or of another record that requests refer to (api/API.md,
/// "Conventions").
constexpr bool is_id(std::string_view id) {
    if (id.empty() || id.size() > limits::kIdBytesMax) return false;
    if (id == "." || id == "..") return false;  // in a path, these name a folder
    return std::all_of(id.begin(), id.end(), [](char c) {
        return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == ':' || c == '-' ||
               c == '~';
    });
}

/// `text` without white space at either end.
constexpr std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_space(text.back()))
        text.remove_suffix(1);
    return text;
}

/// A set of bytes.
class ByteSet {
public:
    constexpr ByteSet() = default;
    constexpr explicit ByteSet(std::string_view bytes) {
        for (const char c : bytes)
            add(c);
    }
    constexpr void add(char c) { bits_[slot(c)] |= std::uint64_t{1} << bit(c); }
    constexpr bool has(char c) const { return (bits_[slot(c)] >> bit(c) & 1U) != 0; }

private:
    static constexpr std::size_t slot(char c) { return static_cast<unsigned char>(c) >> 6U; }
    static constexpr unsigned bit(char c) { return static_cast<unsigned char>(c) & 63U; }

    std::array<std::uint64_t, 4> bits_{};
};

/// A list of words that is searched at each tool call; the first byte is enough to exclude nearly
/// all texts. No word is empty.
template <std::size_t N>
class WordList {
public:
    constexpr WordList(const std::array<std::string_view, N>& words) : words_(words) {
        for (const std::string_view word : words_)
            first_.add(word[0]);
    }
    constexpr auto begin() const { return words_.begin(); }
    constexpr auto end() const { return words_.end(); }
    constexpr std::size_t size() const { return N; }
    /// False if no word of the list has the first byte of `text`.
    constexpr bool may_begin(std::string_view text) const {
        return !text.empty() && first_.has(text[0]);
    }

private:
    std::array<std::string_view, N> words_;
    ByteSet first_;
};
/// False only if the first byte shows that `text` begins with no word of the list.
template <class List>
constexpr bool may_begin(const List& list, std::string_view text) {
    if constexpr (requires { list.may_begin(text); }) {
        return list.may_begin(text);
    } else {
        return true;
    }
}

template <class List>
constexpr bool contains(const List& list, std::string_view item) {
    if (!may_begin(list, item)) return false;
    return std::find(std::begin(list), std::end(list), item) != std::end(list);
}

/// True if any of `needles` occurs in `text`.
template <class List>
constexpr bool mentions(std::string_view text, const List& needles) {
    return std::any_of(std::begin(needles), std::end(needles), [text](std::string_view needle) {
        return text.find(needle) != std::string_view::npos;
    });
}

}  // namespace headway::core
