// SPDX-License-Identifier: Apache-2.0
#include "config/values/parse.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "config/values/duration.hpp"
#include "core/calls/tool_class.hpp"
#include "core/text/suggest.hpp"

namespace headway::config {
namespace {

/// False unless the whole text is a number.
template <class Number>
bool read_number(std::string_view text, Number& number) {
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && rest == end;
}

}  // namespace

core::Error mistake(std::string detail) {
    return {core::ErrorCode::kInvalidConfig, std::move(detail), {}};
}

std::string in_quotes(std::string_view text) {
    return "\"" + std::string(text) + "\"";
}

std::string join(std::span<const std::string_view> words, std::string_view separator) {
    std::string text;
    for (const std::string_view word : words)
        text.append(text.empty() ? "" : separator).append(word);
    return text;
}

core::Result<std::uint64_t> parse_whole(const Value& value, std::uint64_t min, std::uint64_t max) {
    const std::string text = value.text();
    std::uint64_t number = 0;
    if (read_number(text, number) && number >= min && number <= max) return number;
    return mistake(in_quotes(text) + " is not a whole number from " + std::to_string(min) + " to " +
                   std::to_string(max));
}

double parse_number(const Value& value) {
    double number = 0;
    return read_number(value.text(), number) ? number : std::numeric_limits<double>::quiet_NaN();
}

core::Result<double> parse_fraction(const Value& value) {
    const double number = parse_number(value);
    if (number >= 0 && number <= 1) return number;
    return mistake(in_quotes(value.text()) + " is not a number from 0 to 1");
}

core::Result<std::chrono::milliseconds> parse_time(const Value& value,
                                                   std::chrono::milliseconds min,
                                                   std::chrono::milliseconds max) {
    const std::string text = value.text();
    HEADWAY_TRY(const std::chrono::milliseconds time, parse_duration(text));
    if (time >= min && time <= max) return time;
    return mistake(in_quotes(text) + " is out of range; use " + print_duration(min) + " to " +
                   print_duration(max));
}

core::Result<std::size_t> parse_word(const Value& value, std::span<const std::string_view> words) {
    const std::string text = value.text();
    const auto found = std::find(words.begin(), words.end(), text);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    return mistake(in_quotes(text) + " is not one of " + join(words, ", ") +
                   core::did_you_mean(text, words));
}

core::Result<Value::List> parse_list(const Value& value, std::size_t max, std::string_view what) {
    Value::List items = value.items();
    if (items.size() <= max) return items;
    return mistake("more than " + std::to_string(max) + " " + std::string(what));
}

core::Result<> check_tool(std::string_view name) {
    std::string wrong = core::wrong_tool_rule(name);
    if (wrong.empty()) return {};
    return mistake(std::move(wrong));
}

core::Result<Value::List> parse_tools(const Value& value, std::size_t max) {
    if (value.is<Value::List>() && value.has_empty_items())
        return mistake("an empty name covers no tool; leave the item out");
    HEADWAY_TRY(Value::List tools, parse_list(value, max, "tools"));
    for (const std::string& tool : tools)
        HEADWAY_CHECK(check_tool(tool));
    return tools;
}

}  // namespace headway::config
