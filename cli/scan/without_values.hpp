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
/// JSON is returned unchanged; a parser will refuse it. The result may point into `kept`. Changes
/// only `kept`.
std::string_view without_values(std::string_view line, std::span<const std::string_view> names,
                                std::string& kept);

/// JSON text with U+FFFD in place of each escaped half of a surrogate pair that stands alone, which
/// strict parsers refuse; agents that cut a text between the two halves write such halves. Returns
/// `json` itself if there is none; otherwise the result points into `kept`. Changes only `kept`.
std::string_view without_lone_halves(std::string_view json, std::string& kept);

}  // namespace headway::cli
