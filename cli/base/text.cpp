// SPDX-License-Identifier: Apache-2.0
#include "cli/base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>

#include "core/text/visible.hpp"

namespace headway::cli {
namespace {

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

struct PointRange {
    char32_t first;
    char32_t last;
};
/// Wide or full-width (UAX #11), and what is shown as emoji without a selector. Unassigned ones
/// between them are wide as well.
constexpr std::array<PointRange, 43> kWideRanges{
    {{0x1100, 0x115F}, {0x231A, 0x231B},   {0x2329, 0x232A},  {0x23E9, 0x23EC}, {0x23F0, 0x23F0},
     {0x23F3, 0x23F3}, {0x25FD, 0x25FE},   {0x2614, 0x2615},  {0x2630, 0x2637}, {0x2648, 0x2653},
     {0x267F, 0x267F}, {0x268A, 0x268F},   {0x2693, 0x2693},  {0x26A1, 0x26A1}, {0x26AA, 0x26AB},
     {0x26BD, 0x26BE}, {0x26C4, 0x26C5},   {0x26CE, 0x26CE},  {0x26D4, 0x26D4}, {0x26EA, 0x26EA},
     {0x26F2, 0x26F5}, {0x26FA, 0x26FA},   {0x26FD, 0x26FD},  {0x2705, 0x2705}, {0x270A, 0x270B},
     {0x2728, 0x2728}, {0x274C, 0x274E},   {0x2753, 0x2757},  {0x2795, 0x2797}, {0x27B0, 0x27B0},
     {0x27BF, 0x27BF}, {0x2B1B, 0x2B1C},   {0x2B50, 0x2B55},  {0x2E80, 0x303E}, {0x3041, 0xA4CF},
     {0xA960, 0xA97F}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},  {0xFE10, 0xFE6F}, {0xFF01, 0xFF60},
     {0xFFE0, 0xFFE6}, {0x16FE0, 0x1B2FF}, {0x1D300, 0x1D376}}};
constexpr char32_t kWideFrom = 0x1F000;  // emoji, and the ideographs behind them
constexpr char32_t kWideTo = 0x3FFFD;

std::size_t width_of_character(char32_t point) {
    if (point < kWideRanges.front().first) return 1;
    if (point >= kWideFrom && point <= kWideTo) return 2;
    const auto next =
        std::find_if(kWideRanges.begin(), kWideRanges.end(),
                     [point](const PointRange& range) { return point <= range.last; });
    return next != kWideRanges.end() && point >= next->first ? 2 : 1;
}

std::string decimal(double value, int digits, const char* unit) {
    std::array<char, 48> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.*f%s", digits, value, unit);
    return buffer.data();
}

std::string two_units(std::int64_t large, const char* large_name, std::int64_t small,
                      const char* small_name) {
    std::string text = std::to_string(large) + large_name;
    if (small < 10) text += '0';
    return text + std::to_string(small) + small_name;
}

}  // namespace

std::string on_one_line(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    std::string line;
    for (const char c : text) {
        if (kBlanks.find(c) == kBlanks.npos) {
            line += c;
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
    }
    if (line.ends_with(' ')) line.pop_back();
    return line;
}

std::string clean_line(std::string_view text) {
    return core::visible(on_one_line(text));
}

std::vector<std::string> split(std::string_view list, char separator) {
    std::vector<std::string> parts;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(separator), list.size());
        if (end > 0) parts.emplace_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return parts;
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
    std::string list;
    for (std::size_t i = 0; i < words.size(); ++i)
        list.append(i == 0 ? std::string_view{} : separator).append(words[i]);
    return list;
}

std::size_t width_of(std::string_view text) {
    std::size_t width = 0;
    while (!text.empty()) {
        const core::Character next = core::first_character(text);
        width += width_of_character(next.point);
        text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
    }
    return width;
}

std::string_view within(std::string_view text, std::size_t columns) {
    std::size_t bytes = 0;
    while (bytes < text.size()) {
        const core::Character next = core::first_character(text.substr(bytes));
        const std::size_t width = width_of_character(next.point);
        if (width > columns) break;
        columns -= width;
        bytes += std::max<std::size_t>(next.bytes, 1);
    }
    return text.substr(0, bytes);
}

std::string crop(std::string_view text, std::size_t columns) {
    if (width_of(text) <= columns) return std::string(text);
    if (columns == 0) return {};
    return std::string(within(text, columns - 1)) + "…";
}

std::string pad(std::string_view text, std::size_t columns) {
    const std::size_t width = width_of(text);
    return std::string(text) + std::string(width < columns ? columns - width : 0, ' ');
}

std::string uppercase(std::string text) {
    for (char& c : text)
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return text;
}

void field_line(std::ostream& out, std::string_view name, std::string_view value) {
    if (!value.empty()) out << "  " << pad(name, 10) << value << "\n";
}

std::string_view cut_bytes(std::string_view text, std::size_t bytes) {
    if (text.size() <= bytes) return text;
    while (bytes > 0 && is_continuation(text[bytes]))
        --bytes;
    return text.substr(0, bytes);
}

std::string human_duration(std::chrono::milliseconds duration) {
    const std::int64_t ms = std::max<std::int64_t>(duration.count(), 0);
    if (ms < 1'000) return std::to_string(ms) + "ms";
    if (ms < 59'950) return decimal(static_cast<double>(ms) / 1'000.0, 1, "s");
    const std::int64_t seconds = ms / 1'000 + (ms % 1'000 >= 500 ? 1 : 0);
    if (seconds < 3'600) return two_units(seconds / 60, "m", seconds % 60, "s");
    const std::int64_t minutes = seconds / 60;
    if (minutes < 24 * 60) return two_units(minutes / 60, "h", minutes % 60, "m");
    return two_units(minutes / (24 * 60), "d", minutes / 60 % 24, "h");
}

std::string human_bytes(double bytes) {
    constexpr std::array<const char*, 4> kUnits{" KiB", " MiB", " GiB", " TiB"};
    if (bytes < 1'024) return decimal(bytes, 0, " B");
    std::size_t unit = 0;
    bytes /= 1'024;
    while (bytes >= 1'023.95 && unit + 1 < kUnits.size()) {
        bytes /= 1'024;
        ++unit;
    }
    return decimal(bytes, 1, kUnits[unit]);
}

std::optional<WallTime> parse_time(std::string_view text) {
    int year = 0;
    unsigned month = 0;
    unsigned day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int ms = 0;
    const std::string copy(text);
    const int read = std::sscanf(copy.c_str(), "%4d-%2u-%2uT%2d:%2d:%2d.%3dZ", &year, &month, &day,
                                 &hour, &minute, &second, &ms);
    if (read < 6) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month},
                                           std::chrono::day{day}};
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days{date} + std::chrono::hours{hour} + std::chrono::minutes{minute} +
           std::chrono::seconds{second} + std::chrono::milliseconds{ms};
}

std::string local_day(std::chrono::sys_time<std::chrono::milliseconds> time) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm parts{};
    localtime_r(&seconds, &parts);
    std::array<char, 16> buffer{};
    std::strftime(buffer.data(), buffer.size(), "%m-%d", &parts);
    return buffer.data();
}

std::string local_clock(std::chrono::sys_time<std::chrono::milliseconds> time) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm parts{};
    localtime_r(&seconds, &parts);
    std::array<char, 16> buffer{};
    std::strftime(buffer.data(), buffer.size(), "%H:%M:%S", &parts);
    return buffer.data();
}

std::string fixed_text(double value, int digits) {
    std::array<char, 32> buffer{};
    const int written = std::snprintf(buffer.data(), buffer.size(), "%.*f", digits, value);
    return {buffer.data(), static_cast<std::size_t>(std::clamp(written, 0, 31))};
}

std::string count_text(double count) {
    if (count < 1'000) return fixed_text(count, 0);
    if (count < 1'000'000) return fixed_text(count / 1'000, 1) + "k";
    if (count < 1'000'000'000) return fixed_text(count / 1'000'000, 2) + "M";
    return fixed_text(count / 1'000'000'000, 2) + "B";
}

}  // namespace headway::cli
