// SPDX-License-Identifier: Apache-2.0
#include "api/calls/platform_frames.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "core/base/assert.hpp"
#include "core/text/words.hpp"

namespace headway::api {
namespace {

constexpr std::size_t kAddedBytesMax =
    32U << 10;  ///< such parts stand in short answers, and in previews

/// A part of an answer: from `start` through `end`, if `sign` stands within it. Without a sign the
/// start is enough.
struct Frame {
    std::string_view start;
    std::string_view end;
    std::string_view sign;
    std::size_t bytes_max;
};

constexpr std::array<Frame, 3> kFrames{{
    {"<usage>", "</usage>", "_tokens", 512},
    {"<system-reminder>", "</system-reminder>", "", 8192},
    {"agentId: ", " agent)", "SendMessage", 256},
}};

/// Words before a token that is made up for each call.
constexpr std::array<std::string_view, 4> kBeforeTokens{
    "/tool-results/",
    "unning in background with ID: ", "Output is being written to: ", "agentId: "};

/// The end of the frame that starts at `at`, or `at`.
std::size_t frame_end(std::string_view text, std::size_t at) {
    for (const Frame& frame : kFrames) {
        if (!text.substr(at).starts_with(frame.start)) continue;
        const std::string_view part = text.substr(at, frame.bytes_max);
        const std::size_t end = part.find(frame.end);
        if (end == part.npos || part.substr(0, end).find(frame.sign) == part.npos) continue;
        return at + end + frame.end.size();
    }
    return at;
}

/// The end of the token behind one of the signs that start at `at`, or `at`; `from` is where the
/// token begins.
std::size_t token_end(std::string_view text, std::size_t at, std::size_t& from) {
    constexpr std::string_view kEnds = " \n\"')]<,";
    constexpr std::size_t kTokenBytesMax = 256;
    for (const std::string_view before : kBeforeTokens) {
        if (!text.substr(at).starts_with(before)) continue;
        from = at + before.size();
        std::size_t end = from;
        while (end < text.size() && end - from < kTokenBytesMax &&
               kEnds.find(text[end]) == kEnds.npos)
            ++end;
        return end;
    }
    return at;
}

/// A page that was fetched, and what the agent read in it: `{bytes:48213,code:200,…,result:"…"}`.
/// Its bytes differ with each visit of a page that has a clock.
void cut_bytes_of_page(std::string& canonical) {
    constexpr std::string_view kBytes = "{bytes:";
    if (!canonical.starts_with(kBytes)) return;
    const std::size_t end = canonical.find(',');
    const bool page = end != canonical.npos &&
                      std::string_view{canonical}.substr(end).starts_with(",code:") &&
                      canonical.find(",result:\"", end) != canonical.npos;
    if (page) canonical.erase(1, end);
}

}  // namespace

void cut_platform_frames(std::string& canonical) {
    cut_bytes_of_page(canonical);
    const std::string_view text{canonical.data(), std::min(canonical.size(), kAddedBytesMax)};
    std::string out;
    std::size_t copied = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        const bool may_start = c == '<' || c == '/' || c == 'u' || c == 'O' || c == 'a';
        std::size_t from = at;
        std::size_t end = may_start ? frame_end(text, at) : at;
        if (end == at && may_start) end = token_end(text, at, from);
        HEADWAY_ASSERT(at <= from && from <= std::max(end, at) && end >= at);
        if (end == at) {
            ++at;
            continue;
        }
        out.append(text, copied, from - copied);
        out.push_back('\x02');
        copied = at = end;
    }
    if (copied == 0) return;
    out.append(canonical, copied, canonical.size() - copied);
    canonical = std::move(out);
}

}  // namespace headway::api
