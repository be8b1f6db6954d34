// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

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
constexpr bool is_word(char c) {
    return is_digit(c) || is_letter(c) || c == '_';
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

/// Without white space at either end.
constexpr std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_space(text.back()))
        text.remove_suffix(1);
    return text;
}

template <class List>
constexpr bool contains(const List& list, std::string_view item) {
    return std::find(std::begin(list), std::end(list), item) != std::end(list);
}

/// Whether any of `needles` occurs in `text`.
template <class List>
constexpr bool mentions(std::string_view text, const List& needles) {
    return std::any_of(std::begin(needles), std::end(needles), [text](std::string_view needle) {
        return text.find(needle) != std::string_view::npos;
    });
}

}  // namespace headway::core
