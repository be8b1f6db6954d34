// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/answer_use.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "api/timestamp.hpp"

namespace headway::api::hooks {
namespace {

constexpr std::size_t kIdBytesMax = 64;
constexpr std::uint64_t kTokensMax = 1'000'000'000'000;  // more than any answer uses

/// The text before the first `mark`, which is taken off with it.
std::string_view take_until(std::string_view& text, char mark) {
    const std::size_t end = std::min(text.find(mark), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

bool read_count(std::string_view text, std::uint64_t& count) {
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, count);
    return !text.empty() && read.ec == std::errc{} && read.ptr == end && count <= kTokensMax;
}

std::optional<AnswerUse> read_answer_use(std::string_view item) {
    AnswerUse use;
    use.id = take_until(item, ';');
    if (use.id.empty() || use.id.size() > kIdBytesMax) return std::nullopt;
    if (!parse_timestamp(take_until(item, ';'), use.at)) return std::nullopt;
    if (!read_count(take_until(item, ';'), use.usage.input_tokens)) return std::nullopt;
    if (!read_count(item, use.usage.output_tokens)) return std::nullopt;
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

}  // namespace headway::api::hooks
