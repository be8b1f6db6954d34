// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace headway::cli {

/// `line`, a JSON object, with null in place of the values of members with these names, in the
/// object itself and in nested objects down to the third level. Used because values that an agent
/// stores twice need not be parsed. Only quotes, brackets and commas are examined. Text that is not
/// JSON is returned unchanged; a parser will refuse it. The result may point into `kept`. Pure.
std::string_view without_values(std::string_view line, std::span<const std::string_view> names,
                                std::string& kept);

}  // namespace headway::cli
