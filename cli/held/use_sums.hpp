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

/// True if one event can stand for both: they name the same model, and have figures alone.
bool can_merge_use(const Json& data, const Json& other);
/// Adds the figures of `other`.
void merge_use(Json& data, const Json& other);

/// Takes as much of `known` out of the tokens of `data` as is in both; false if none are left.
bool take_out(TokenSums& known, Json& data);

}  // namespace headway::cli
