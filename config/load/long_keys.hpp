// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace headway::config {

/// Maximum number of parts of a key or of a table's name; `server.listen` has two parts. The parser
/// makes one table for each part, and the tables are destroyed by recursion.
inline constexpr std::size_t kKeyPartsMax = 100;

/// Number of the first line that has a key of more than kKeyPartsMax parts; empty if there is none.
/// The TOML text need not be valid. Pure; linear in the text.
std::optional<std::size_t> line_of_long_key(std::string_view toml);

}  // namespace headway::config
