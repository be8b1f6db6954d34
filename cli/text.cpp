// SPDX-License-Identifier: Apache-2.0
#include "cli/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>

namespace headway::cli {
namespace {

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Length of the well-formed UTF-8 sequence at the front, or 0.
std::size_t sequence_length(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    std::size_t length = 0;
    if (lead < 0x80) length = 1;
    if (lead >= 0xC2 && lead <= 0xDF) length = 2;
    if (lead >= 0xE0 && lead <= 0xEF) length = 3;
    if (lead >= 0xF0 && lead <= 0xF4) length = 4;
    if (length == 0 || length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if (!is_continuation(text[i])) return 0;
    }
    return length;
}

// Bytes of the escape sequence at the front (CSI, OSC, or ESC and one more), never more than the
// text.
std::size_t escape_length(std::string_view text) {
    if (text.size() < 2) return text.size();
    if (text[1] == '[') {
        std::size_t i = 2;
        while (i < text.size() && (text[i] < '@' || text[i] > '~'))
            ++i;
        return std::min(i + 1, text.size());
    }
    if (text[1] == ']') {
        std::size_t i = 2;
        while (i < text.size() && text[i] != '\a' && text[i] != '\x1b')
            ++i;
        return std::min(i + (i < text.size() && text[i] == '\x1b' ? 2U : 1U), text.size());
    }
    return 2;
}

// U+0080..U+009F: a terminal may obey these as well.
bool is_c1_control(std::string_view sequence) {
    return sequence.size() == 2 && sequence[0] == '\xC2' &&
           static_cast<unsigned char>(sequence[1]) < 0xA0;
}

/// The code point of a well-formed sequence.
std::uint32_t code_point(std::string_view sequence) {
    const auto lead = static_cast<unsigned char>(sequence.front());
    if (sequence.size() == 1) return lead;
    std::uint32_t code = lead & (0xFFU >> (sequence.size() + 1));
    for (const char c : sequence.substr(1))
        code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
    return code;
}

struct Range {
    std::uint32_t first;
    std::uint32_t last;
};

// What takes no room on a screen, or turns the order of what stands beside it: with these a line
// can look like another one. As web/format.js has them, and other fillers.
constexpr std::array<Range, 15> kHidden{{{0xAD, 0xAD},
                                         {0x34F, 0x34F},
                                         {0x61C, 0x61C},
                                         {0x115F, 0x1160},
                                         {0x17B4, 0x17B5},
                                         {0x180B, 0x180F},
                                         {0x200B, 0x200F},
                                         {0x2028, 0x202E},
                                         {0x2060, 0x206F},
                                         {0x3164, 0x3164},
                                         {0xFEFF, 0xFEFF},
                                         {0xFFA0, 0xFFA0},
                                         {0xFFF9, 0xFFFB},
                                         {0x1D173, 0x1D17A},
                                         {0xE0000, 0xE0FFF}}};

bool is_hidden(std::uint32_t code) {
    return std::any_of(kHidden.begin(), kHidden.end(), [code](const Range& range) {
        return code >= range.first && code <= range.last;
    });
}

/// As the page shows it: \u{202e}.
std::string escaped(std::uint32_t code) {
    std::array<char, 16> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "\\u{%x}", static_cast<unsigned>(code));
    return buffer.data();
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

std::string clean_line(std::string_view text) {
    std::string out;
    const auto space = [&] {
        if (!out.empty() && out.back() != ' ') out += ' ';
    };
    while (!text.empty()) {
        const char c = text.front();
        const std::size_t length = sequence_length(text);
        std::size_t consumed = std::max<std::size_t>(length, 1);
        if (c == '\x1b') {
            consumed = escape_length(text);
        } else if (c == '\n' || c == '\r' || c == '\t' || c == ' ') {
            space();
        } else if (length == 0) {
            out += '?';
        } else if (length > 1 && is_hidden(code_point(text.substr(0, length)))) {
            out += escaped(code_point(text.substr(0, length)));
        } else if (static_cast<unsigned char>(c) >= 0x20 && c != '\x7f' &&
                   !is_c1_control(text.substr(0, length))) {
            out += text.substr(0, length);
        }
        text.remove_prefix(consumed);
    }
    while (out.ends_with(' '))
        out.pop_back();
    return out;
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
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string crop(std::string_view text, std::size_t columns) {
    if (width_of(text) <= columns) return std::string(text);
    if (columns == 0) return {};
    std::size_t bytes = 0;
    for (std::size_t left = columns - 1; bytes < text.size(); ++bytes) {
        if (is_continuation(text[bytes])) continue;
        if (left == 0) break;
        --left;
    }
    return std::string(text.substr(0, bytes)) + "…";
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

}  // namespace headway::cli
