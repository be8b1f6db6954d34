// SPDX-License-Identifier: Apache-2.0
#include "api/data_fence.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/limits.hpp"
#include "core/sanitize.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

namespace headway::api {
namespace {

constexpr std::string_view kCut = "…";
constexpr std::size_t kCleanBytesMax = 8192;  ///< more than core::sanitized ever gives

struct Range {
    char32_t first;
    char32_t last;
};

/// What is not seen, or changes how its neighbours are seen.
constexpr std::array<Range, 21> kHidden{
    {{0x00, 0x1f},       {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},
     {0x61c, 0x61c},     {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},
     {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},
     {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},
     {0xfffe, 0xffff},   {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
     {0xf0000, 0x10ffff}}};

bool is_hidden(char32_t point) {
    return std::any_of(kHidden.begin(), kHidden.end(), [point](const Range& range) {
        return point >= range.first && point <= range.last;
    });
}

/// One character of UTF-8; `bytes` is 0 when none begins here.
struct Character {
    char32_t point = 0;
    std::size_t bytes = 0;
};

Character first_of(std::string_view text) {
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

void append_code(std::string& out, char kind, char32_t code) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string digits;
    do {
        digits.insert(digits.begin(), kDigits[code & 15U]);
        code >>= 4U;
    } while (code != 0);
    out.append({'\\', kind, '{'}).append(digits).push_back('}');
}

/// Whether `open` and what follows it may be a token of a chat template.
bool begins_token(char open, std::string_view rest) {
    if (rest.empty() || (open != '<' && open != '[')) return false;
    const char next = rest.front();
    if (core::is_letter(next) || next == '/' || next == '_') return true;
    return open == '<' &&
           (next == '|' || next == '!' || next == '<' || static_cast<unsigned char>(next) >= 0x80);
}

std::string bounded(std::string text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return text;
    const std::size_t kept = bytes_max > kCut.size() ? bytes_max - kCut.size() : 0;
    return std::string{core::cut_text(text, kept)}.append(kCut);
}

}  // namespace

std::string inert(std::string_view text, std::size_t bytes_max) {
    std::string out;
    while (!text.empty() && out.size() <= bytes_max) {
        const Character next = first_of(text);
        if (next.bytes == 0) {
            append_code(out, 'x', static_cast<unsigned char>(text.front()));
            text.remove_prefix(1);
            continue;
        }
        if (is_hidden(next.point)) {
            append_code(out, 'u', next.point);
        } else {
            out.append(text.substr(0, next.bytes));
        }
        const char open = text.front();
        text.remove_prefix(next.bytes);
        if (begins_token(open, text)) out.push_back(' ');
    }
    return bounded(std::move(out), bytes_max);
}

std::string inert_clean(std::string_view text, std::size_t bytes_max) {
    return inert(core::sanitized(text, "/", kCleanBytesMax), bytes_max);
}

std::string inert_name(std::string_view name) {
    return inert_clean(name, core::limits::kJudgeNameBytesMax);
}

std::string inert_ends(std::string_view text, std::size_t end_bytes) {
    const std::string clean = core::sanitized(text, "/", kCleanBytesMax);
    const std::size_t both = 2 * end_bytes;
    if (clean.size() <= both) return inert(clean, 2 * both);
    std::size_t tail = clean.size() - end_bytes;
    while (tail < clean.size() && (static_cast<unsigned char>(clean[tail]) & 0xc0U) == 0x80U)
        ++tail;
    return inert(core::cut_text(clean, end_bytes), both)
        .append(" ")
        .append(kCut)
        .append(" ")
        .append(inert(std::string_view{clean}.substr(tail), both));
}

std::string fence_marker(std::string_view data) {
    std::string marker = core::to_hex(core::digest_of(data)).substr(0, 16);
    // That a text holds its own digest is no accident that happens; a loop settles it all the same.
    while (data.find(marker) != std::string_view::npos)
        marker = core::to_hex(core::digest_of(marker)).substr(0, 16);
    return marker;
}

std::string fenced(std::string_view frame, std::string_view data) {
    const std::string marker = fence_marker(data);
    constexpr std::string_view kMarker = "{{marker}}";
    constexpr std::string_view kData = "{{data}}";
    std::string out;
    out.reserve(frame.size() + data.size() + 3 * marker.size());
    while (!frame.empty()) {
        if (frame.starts_with(kMarker)) {
            out += marker;
            frame.remove_prefix(kMarker.size());
        } else if (frame.starts_with(kData)) {
            out += data;
            frame.remove_prefix(kData.size());
        } else {
            out += frame.front();
            frame.remove_prefix(1);
        }
    }
    return out;
}

}  // namespace headway::api
