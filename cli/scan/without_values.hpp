// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace headway::cli {

/// Replaces the values of the members with these names with null, in the JSON object `line` and in
/// nested objects down to the third level. Values that an agent stores twice then need not be
/// parsed. Only quotes, brackets and commas are examined. Text that is not JSON is returned
/// unchanged; a parser will refuse it. The result may point into `kept`. Changes only `kept`.
std::string_view without_values(std::string_view line, std::span<const std::string_view> names,
                                std::string& kept);

}  // namespace headway::cli
