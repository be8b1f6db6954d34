// SPDX-License-Identifier: Apache-2.0
#include "api/judge/data_fence.hpp"

#include <algorithm>

#include "core/base/limits.hpp"
#include "core/redaction/sanitize.hpp"
#include "core/text/text.hpp"
#include "core/text/visible.hpp"
#include "core/text/words.hpp"

namespace headway::api {
namespace {

constexpr std::string_view kCut = "…";
constexpr std::size_t kCleanBytesMax = 8192;  ///< more than core::sanitized ever gives

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
        const core::Character next = core::first_character(text);
        const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
        if (next.bytes == 0 || core::is_hidden(next.point)) {
            core::append_escape(out, text);
        } else {
            out.append(text.substr(0, bytes));
        }
        const char open = text.front();
        text.remove_prefix(bytes);
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
    // A text hardly holds its own digest by accident; a loop settles it all the same.
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
