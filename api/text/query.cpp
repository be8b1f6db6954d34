// SPDX-License-Identifier: Apache-2.0
#include "api/text/query.hpp"

#include <algorithm>
#include <charconv>

#include "api/text/plain_text.hpp"

namespace headway::api {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// Whether `name` is one of `words`, which are separated by blanks.
bool is_one_of(std::string_view words, std::string_view name) {
    while (!words.empty()) {
        const std::string_view word = words.substr(0, words.find(' '));
        words.remove_prefix(std::min(words.size(), word.size() + 1));
        if (word == name) return true;
    }
    return false;
}

std::string with_commas(std::string_view words) {
    std::string list;
    for (const char c : words)
        list += c == ' ' ? std::string{", "} : std::string{c};
    return list;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+' && plus_is_space) {
            out.push_back(' ');
        } else if (text[i] != '%') {
            out.push_back(text[i]);
        } else {
            if (i + 2 >= text.size()) return std::nullopt;
            const int high = hex_value(text[i + 1]);
            const int low = hex_value(text[i + 2]);
            if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
            out.push_back(static_cast<char>(high * 16 + low));
            i += 2;
        }
    }
    return out;
}

Result<Query> Query::parse(std::string_view query, std::string_view known) {
    Query parsed;
    while (!query.empty()) {
        const std::string_view pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), pair.size() + 1));
        if (pair.empty()) continue;
        const std::size_t equals = pair.find('=');
        const auto name = percent_decoded(pair.substr(0, equals), true);
        const auto value = equals == std::string_view::npos
                               ? std::optional<std::string>{""}
                               : percent_decoded(pair.substr(equals + 1), true);
        if (!name || !value) {
            return Error{ErrorCode::kInvalidParameter, "a percent sign must be written %25",
                         as_utf8(pair.substr(0, equals))};
        }
        if (as_utf8(*name) != *name || as_utf8(*value) != *value) {
            return Error{ErrorCode::kInvalidParameter, "must be UTF-8",
                         as_utf8(pair.substr(0, equals))};
        }
        if (!is_one_of(known, *name)) {
            return Error{ErrorCode::kInvalidParameter,
                         "unknown parameter; known here are: " +
                             (known.empty() ? "none" : with_commas(known)),
                         *name};
        }
        if (parsed.find(*name) != nullptr) {
            return Error{ErrorCode::kInvalidParameter, "given twice", *name};
        }
        parsed.parameters_.emplace_back(*name, *value);
    }
    return parsed;
}

const std::string* Query::find(std::string_view name) const {
    for (const auto& [key, value] : parameters_) {
        if (key == name) return &value;
    }
    return nullptr;
}

Result<std::uint64_t> parse_number(std::string_view text, std::string_view field, std::uint64_t min,
                                   std::uint64_t max) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < min || number > max) {
        return Error{
            ErrorCode::kInvalidParameter,
            "must be a whole number from " + std::to_string(min) + " to " + std::to_string(max),
            std::string{field}};
    }
    return number;
}

Result<std::int64_t> parse_duration_ms(std::string_view text, std::string_view field) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit{end, static_cast<std::size_t>(text.data() + text.size() - end)};
    std::uint64_t scale = 0;
    if (unit == "ms") scale = 1;
    if (unit == "s" || unit.empty()) scale = 1000;
    if (unit == "m") scale = 60'000;
    if (error != std::errc{} || scale == 0 || number > 1'000'000'000) {
        return Error{ErrorCode::kInvalidParameter, "must be a duration such as 500ms, 55s or 2m",
                     std::string{field}};
    }
    return static_cast<std::int64_t>(number * scale);
}

}  // namespace headway::api
