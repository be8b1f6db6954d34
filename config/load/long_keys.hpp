// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace headway::config {

/// Parts of a key or of a table's name, such as the two of `server.listen`. The parser makes one
/// table for each part, and the tables are destroyed by recursion.
inline constexpr std::size_t kKeyPartsMax = 100;

/// The first line of a TOML text with a key of more than kKeyPartsMax parts; nothing without one.
/// The text need not be valid. Pure; linear in the text.
std::optional<std::size_t> line_of_long_key(std::string_view toml);

}  // namespace headway::config
