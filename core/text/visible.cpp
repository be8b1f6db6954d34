// SPDX-License-Identifier: Apache-2.0
#include "core/text/visible.hpp"

#include <algorithm>
#include <array>

namespace headway::core {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

struct Range {
    char32_t first;
    char32_t last;
};

/// In order; web/format.js has the same.
constexpr std::array<Range, 29> kHidden{
    {{0x00, 0x1f},       {0x7f, 0xa0},       {0xad, 0xad},       {0x34f, 0x34f},
     {0x61c, 0x61c},     {0x115f, 0x1160},   {0x1680, 0x1680},   {0x17b4, 0x17b5},
     {0x180b, 0x180f},   {0x2000, 0x200f},   {0x2028, 0x202f},   {0x205f, 0x206f},
     {0x2800, 0x2800},   {0x3000, 0x3000},   {0x3164, 0x3164},   {0xd800, 0xf8ff},
     {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
     {0xfff0, 0xfffc},   {0xfffe, 0xffff},   {0x13430, 0x1345f}, {0x16fe4, 0x16fe4},
     {0x1bca0, 0x1bca3}, {0x1d159, 0x1d159}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
     {0xf0000, 0x10ffff}}};

void append_code(std::string& out, char kind, char32_t code) {
    std::size_t digits = 1;
    while (digits < 6 && code >> (4U * digits) != 0)
        ++digits;
    out.append({'\\', kind, '{'});
    while (digits > 0)
        out.push_back(kDigits[(code >> (4U * --digits)) & 15U]);
    out.push_back('}');
}

/// "\u202e", above U+FFFF as two of them.
void append_json_code(std::string& out, char32_t point) {
    if (point > 0xffff) {
        append_json_code(out, 0xd800 + ((point - 0x10000) >> 10U));
        return append_json_code(out, 0xdc00 + ((point - 0x10000) & 0x3ffU));
    }
    out.append("\\u");
    for (int shift = 12; shift >= 0; shift -= 4)
        out.push_back(kDigits[(point >> static_cast<unsigned>(shift)) & 15U]);
}

bool begins_escape(std::string_view text) {
    return text.starts_with("\\u{") || text.starts_with("\\x{");
}

/// `::add-mask::x` at the start of a line, and `##[error]` or `##vso[..]` anywhere in one, are
/// commands to services that read the output of a job.
bool begins_command(std::string_view text, bool at_start) {
    if (!text.starts_with("##")) return at_start && text.starts_with("::");
    const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz", 2);
    return end != text.npos && text[end] == '[';
}

}  // namespace

Character first_character(std::string_view text) {
    const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
    char32_t point = lead & (0xffU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) return {};
        point = (point << 6U) | (byte(i) & 0x3fU);
    }
    const bool surrogate = point >= 0xd800 && point <= 0xdfff;
    constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
    return point < kLeast[bytes] || point > 0x10ffff || surrogate ? Character{}
                                                                  : Character{point, bytes};
}

bool is_hidden(char32_t point) {
    const auto* const range =
        std::lower_bound(kHidden.begin(), kHidden.end(), point,
                         [](const Range& one, char32_t code) { return one.last < code; });
    return range != kHidden.end() && range->first <= point;
}

void append_escape(std::string& out, std::string_view text) {
    const Character next = first_character(text);
    if (next.bytes == 0) return append_code(out, 'x', static_cast<unsigned char>(text.front()));
    append_code(out, 'u', next.point);
}

std::string visible(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    const std::size_t size = text.size();
    while (!text.empty()) {
        const Character next = first_character(text);
        const bool first = text.size() == size;
        const bool blank = text.front() == ' ' && (first || text.size() == 1);
        if (next.bytes == 0 || is_hidden(next.point) || blank || begins_escape(text) ||
            begins_command(text, first)) {
            append_escape(out, text);
        } else {
            out.append(text.substr(0, next.bytes));
        }
        text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
    }
    return out;
}

std::string visible_json(std::string_view json) {
    std::string out;
    out.reserve(json.size());
    while (!json.empty()) {
        const Character next = first_character(json);
        // Line ends between the values; in a string they are escapes already.
        const bool hidden = next.bytes != 0 && next.point >= ' ' && is_hidden(next.point);
        if (hidden || begins_command(json, false)) {
            append_json_code(out, next.point);
        } else {
            out.append(json.substr(0, std::max<std::size_t>(next.bytes, 1)));
        }
        json.remove_prefix(std::max<std::size_t>(next.bytes, 1));
    }
    return out;
}

}  // namespace headway::core
