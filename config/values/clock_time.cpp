// SPDX-License-Identifier: Apache-2.0
#include "config/values/clock_time.hpp"

#include <cstdint>

#include "config/values/parse.hpp"

namespace headway::config {
namespace {

bool is_clock_time(std::string_view text) {
    const auto digit = [text](std::size_t at) { return text[at] >= '0' && text[at] <= '9'; };
    return text.size() == 5 && text[2] == ':' && digit(0) && digit(1) && digit(3) && digit(4) &&
           text.substr(0, 2) < "24" && text[3] < '6';
}

}  // namespace

core::Result<std::chrono::milliseconds> parse_clock_time(std::string_view text) {
    if (!is_clock_time(text)) return mistake(in_quotes(text) + " is not a time such as \"00:00\"");
    const auto number = [&text](std::size_t at) {
        return (text[at] - '0') * 10 + (text[at + 1] - '0');
    };
    return std::chrono::milliseconds{(number(0) * 60 + number(3)) * std::int64_t{60'000}};
}

std::string print_clock_time(std::chrono::milliseconds starts) {
    const std::int64_t minutes = starts.count() / 60'000;
    const auto two = [](std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
    return two(minutes / 60) + ":" + two(minutes % 60);
}

}  // namespace headway::config
