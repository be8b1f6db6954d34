// SPDX-License-Identifier: Apache-2.0
#include "cli/held/use_sums.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace headway::cli {
namespace {

constexpr std::array<const char*, 5> kTokenKinds{
    "input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens"};

}  // namespace

TokenSums reported_tokens(const Json& data) {
    TokenSums tokens{};
    for (std::size_t i = 0; i < kTokenKinds.size(); ++i)
        tokens[i] = data["usage"].count_of(kTokenKinds[i]);
    return tokens;
}

std::uint64_t sum_of(const TokenSums& tokens) {
    return std::accumulate(tokens.begin(), tokens.end(), std::uint64_t{0});
}

bool can_merge_use(const Json& data, const Json& other) {
    return data.size() == 1 && other.size() == 1 && data["usage"].is_object() &&
           other["usage"].is_object() && data["usage"]["model"] == other["usage"]["model"];
}

void merge_use(Json& data, const Json& other) {
    for (const auto& [name, value] : other["usage"].members()) {
        if (!value.is_number()) continue;
        Json& sum = data["usage"][name];
        if (value.is_unsigned() && (sum.is_null() || sum.is_unsigned())) {
            sum = sum.count() + value.count();
        } else {
            sum = sum.number() + value.number();
        }
    }
}

bool take_out(TokenSums& known, Json& data) {
    bool left = false;
    for (std::size_t i = 0; i < kTokenKinds.size(); ++i) {
        const std::uint64_t tokens = std::as_const(data)["usage"].count_of(kTokenKinds[i]);
        const std::uint64_t both = std::min(tokens, known[i]);
        known[i] -= both;
        if (both > 0) data["usage"][kTokenKinds[i]] = tokens - both;
        left = left || tokens > both;
    }
    return left;
}

}  // namespace headway::cli
