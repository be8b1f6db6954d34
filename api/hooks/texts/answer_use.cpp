// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/texts/answer_use.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "api/text/plain_text.hpp"
#include "api/text/timestamp.hpp"

namespace headway::api::hooks {
namespace {

constexpr std::size_t kIdBytesMax = 64;
constexpr std::size_t kModelBytesMax = 64;
constexpr std::uint64_t kTokensMax = 1'000'000'000'000;  // more than any answer uses

/// The text before the first `mark`, which is taken off with it.
std::string_view take_until(std::string_view& text, char mark) {
    const std::size_t end = std::min(text.find(mark), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

bool is_utf8(std::string_view text) {
    return as_utf8(text) == text;
}

bool read_count(std::string_view text, std::uint64_t& count) {
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, count);
    return !text.empty() && read.ec == std::errc{} && read.ptr == end && count <= kTokensMax;
}

/// Takes off the parts what they are parts of.
bool read_parts(std::string_view item, core::Usage& usage) {
    if (!read_count(take_until(item, ';'), usage.cached_tokens)) return false;
    if (!read_count(take_until(item, ';'), usage.cache_write_tokens)) return false;
    if (!read_count(take_until(item, ';'), usage.reasoning_tokens)) return false;
    if (item.size() > kModelBytesMax || item.find(';') != item.npos || !is_utf8(item)) return false;
    usage.model = item;
    const std::uint64_t through_cache = usage.cached_tokens + usage.cache_write_tokens;
    if (through_cache > usage.input_tokens || usage.reasoning_tokens > usage.output_tokens)
        return false;
    usage.input_tokens -= through_cache;
    usage.output_tokens -= usage.reasoning_tokens;
    return true;
}

std::optional<AnswerUse> read_answer_use(std::string_view item) {
    AnswerUse use;
    use.id = take_until(item, ';');
    if (use.id.empty() || use.id.size() > kIdBytesMax || !is_utf8(use.id)) return std::nullopt;
    if (!parse_timestamp(take_until(item, ';'), use.at)) return std::nullopt;
    if (!read_count(take_until(item, ';'), use.usage.input_tokens)) return std::nullopt;
    const bool parts = item.find(';') != item.npos;
    if (!read_count(take_until(item, ';'), use.usage.output_tokens)) return std::nullopt;
    if (parts && !read_parts(item, use.usage)) return std::nullopt;
    return use;
}

}  // namespace

std::vector<AnswerUse> read_answer_uses(std::string_view header) {
    std::vector<AnswerUse> uses;
    while (!header.empty() && uses.size() < kAnswerUsesMax) {
        if (const auto use = read_answer_use(take_until(header, ','))) uses.push_back(*use);
    }
    return uses;
}

core::Timestamp answer_clock(std::string_view header) {
    core::Timestamp at = core::kNever;
    if (header.starts_with('@')) {
        header.remove_prefix(1);
        if (parse_timestamp(take_until(header, ','), at)) return at;
    }
    for (const AnswerUse& use : read_answer_uses(header))
        at = use.at;
    return at;
}

}  // namespace headway::api::hooks
