// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "cli/base/json.hpp"

namespace headway::cli {

/// Tokens by kind: input, cached, written to the cache, output, reasoning.
using TokenSums = std::array<std::uint64_t, 5>;

/// The tokens of `data["usage"]`.
TokenSums reported_tokens(const Json& data);
std::uint64_t sum_of(const TokenSums& tokens);

/// True if one event can replace both events: they have only usage, and of the same model.
bool can_merge_use(const Json& data, const Json& other);
/// Adds the usage in `other` to that in `data`.
void merge_use(Json& data, const Json& other);

/// Subtracts from `known` and from the tokens of `data` the tokens that both have. False if `data`
/// then has no tokens.
bool take_out(TokenSums& known, Json& data);

}  // namespace headway::cli
