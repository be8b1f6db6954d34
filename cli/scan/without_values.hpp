// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace headway::cli {

/// `line`, a JSON object, with null in place of the values of these names, in the object and in
/// nested objects down to the third level: values that an agent stores twice need no parsing. Only
/// quotes, brackets and commas are looked at. Text that is not JSON is returned unchanged, for a
/// parser to refuse. The result may point into `kept`. Pure.
std::string_view without_values(std::string_view line, std::span<const std::string_view> names,
                                std::string& kept);

}  // namespace headway::cli
