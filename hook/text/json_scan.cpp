// SPDX-License-Identifier: Apache-2.0
#include "hook/text/json_scan.hpp"

#include <algorithm>
#include <charconv>

namespace headway::hook {
namespace {

constexpr std::size_t kCountDigitsMax = 12;  // more than any count of tokens

std::size_t skip_blanks(std::string_view json, std::size_t at) noexcept {
    return std::min(json.find_first_not_of(" \t\r\n", at), json.size());
}

/// The place of the quote that ends the string which begins behind `at`, or the end.
std::size_t end_of_string(std::string_view json, std::size_t at) noexcept {
    while (at < json.size() && json[at] != '"')
        at += json[at] == '\\' ? 2U : 1U;
    return std::min(at, json.size());
}

/// The value that begins at `begin`: up to the comma or bracket behind it.
std::string_view value_at(std::string_view json, std::size_t begin) noexcept {
    int depth = 0;
    for (std::size_t at = begin; at < json.size(); ++at) {
        const char c = json[at];
        if (c == '"') at = end_of_string(json, at + 1);
        if (c == '{' || c == '[') ++depth;
        if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
            return json.substr(begin, at - begin);
        }
        if (c == '}' || c == ']') --depth;
    }
    return {};
}

}  // namespace

std::string_view member(std::string_view json, std::string_view name) noexcept {
    int depth = 0;
    for (std::size_t at = 0; at < json.size(); ++at) {
        const char c = json[at];
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        if (c != '"') continue;
        const std::size_t end = end_of_string(json, at + 1);
        const std::size_t colon = skip_blanks(json, end + 1);
        const bool key = depth == 1 && colon < json.size() && json[colon] == ':';
        if (key && json.substr(at + 1, end - at - 1) == name) {
            return value_at(json, skip_blanks(json, colon + 1));
        }
        at = end;
    }
    return {};
}

std::string_view text_member(std::string_view json, std::string_view name) noexcept {
    const std::string_view value = member(json, name);
    if (value.size() < 2 || value.front() != '"') return {};
    const std::size_t end = end_of_string(value, 1);
    const std::string_view text = value.substr(1, end - 1);
    return end < value.size() && text.find('\\') == text.npos ? text : std::string_view{};
}

unsigned long long count_member(std::string_view json, std::string_view name) noexcept {
    const std::string_view value = member(json, name);
    const std::size_t digits = std::min(value.find_first_not_of("0123456789"), value.size());
    if (digits == 0 || digits > kCountDigitsMax) return 0;
    const bool whole = value.find_first_not_of(" \t\r\n", digits) == value.npos;
    unsigned long long count = 0;
    std::from_chars(value.data(), value.data() + digits, count);
    return whole ? count : 0;
}

}  // namespace headway::hook
