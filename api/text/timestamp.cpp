// SPDX-License-Identifier: Apache-2.0
#include "api/text/timestamp.hpp"

#include <algorithm>
#include <chrono>

namespace headway::api {
namespace {

void digits(char* at, unsigned value, int count) {
    for (int i = count - 1; i >= 0; --i) {
        at[i] = static_cast<char>('0' + value % 10);
        value /= 10;
    }
}

/// The number in `count` digits at `at` of `text`, or -1.
int number_at(std::string_view text, std::size_t at, std::size_t count) {
    int value = 0;
    for (std::size_t i = at; i < at + count; ++i) {
        if (i >= text.size() || text[i] < '0' || text[i] > '9') return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

}  // namespace

void append_timestamp(std::string& out, core::Timestamp at) {
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date{day};
    const auto ms = static_cast<unsigned>((at - day).count());
    char text[] = "0000-00-00T00:00:00.000Z";
    digits(text, static_cast<unsigned>(static_cast<int>(date.year())), 4);
    digits(text + 5, static_cast<unsigned>(date.month()), 2);
    digits(text + 8, static_cast<unsigned>(date.day()), 2);
    digits(text + 11, ms / 3'600'000, 2);
    digits(text + 14, ms / 60'000 % 60, 2);
    digits(text + 17, ms / 1000 % 60, 2);
    digits(text + 20, ms % 1000, 3);
    out.append(text, sizeof text - 1);
}

std::string timestamp_text(core::Timestamp at) {
    std::string text;
    append_timestamp(text, at);
    return text;
}

bool parse_timestamp(std::string_view text, core::Timestamp& at) {
    constexpr std::string_view kShape = "0000-00-00T00:00:00";
    if (text.size() < kShape.size() + 1 || text.back() != 'Z') return false;
    for (const std::size_t i : {4U, 7U, 10U, 13U, 16U}) {
        if (text[i] != kShape[i]) return false;
    }
    const int hour = number_at(text, 11, 2);
    const int minute = number_at(text, 14, 2);
    const int second = number_at(text, 17, 2);
    const int month = number_at(text, 5, 2);
    const int day = number_at(text, 8, 2);
    const std::chrono::year_month_day date{std::chrono::year{number_at(text, 0, 4)},
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    const bool clock =
        hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
    if (!clock || month < 1 || day < 1 || !date.ok()) return false;
    int ms = 0;
    std::string_view fraction = text.substr(kShape.size(), text.size() - kShape.size() - 1);
    if (!fraction.empty()) {
        if (fraction.front() != '.' || fraction.size() < 2) return false;
        std::string padded{fraction.substr(1)};
        if (number_at(padded, 0, std::min<std::size_t>(padded.size(), 9)) < 0) return false;
        padded.resize(3, '0');
        ms = number_at(padded, 0, 3);
    }
    const auto since_midnight = std::chrono::hours{hour} + std::chrono::minutes{minute} +
                                std::chrono::seconds{second} + core::Millis{ms};
    at = std::chrono::sys_days{date} + since_midnight;
    return true;
}

}  // namespace headway::api
