// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "config/values/value.hpp"
#include "core/base/result.hpp"

// Parsers that read single values and check their ranges. Errors: kInvalidConfig, with an
// explanation. Pure.

namespace headway::config {

constexpr std::int64_t kSecondMs = 1'000;
constexpr std::int64_t kHourMs = 3'600 * kSecondMs;
constexpr std::int64_t kDayMs = 24 * kHourMs;

core::Error mistake(std::string detail);

/// Puts the text in quotation marks, for error messages.
std::string in_quotes(std::string_view text);

/// The words with the separator between them, such as "a, b, c".
std::string join(std::span<const std::string_view> words, std::string_view separator);

core::Result<std::uint64_t> parse_whole(const Value& value, std::uint64_t min, std::uint64_t max);

/// Reads a number. Any other value gives NaN, which is in no range.
double parse_number(const Value& value);

/// A number from 0 to 1.
core::Result<double> parse_fraction(const Value& value);

/// A duration within bounds.
core::Result<std::chrono::milliseconds> parse_time(const Value& value,
                                                   std::chrono::milliseconds min,
                                                   std::chrono::milliseconds max);

/// The index of a word among the allowed `words`.
core::Result<std::size_t> parse_word(const Value& value, std::span<const std::string_view> words);

/// A list of at most `max` items; `what` names the items.
core::Result<Value::List> parse_list(const Value& value, std::size_t max, std::string_view what);

/// Refuses patterns, such as `Bash(rm:*)`, `Bash*` and `*`: a rule with a pattern would match no
/// tool. Names may have dots, slashes, colons and blanks.
core::Result<> check_tool(std::string_view name);

/// A list of at most `max` names of tools or of their classes (core/calls/tool_class.hpp).
core::Result<Value::List> parse_tools(const Value& value, std::size_t max);

}  // namespace headway::config
