// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace headway::cli {

/// `line`, a JSON object, with null in the place of the values under these names, in it or in the
/// objects in it down to the third level: what an agent stores twice does not have to be parsed.
/// Only quotes, brackets and commas are looked at. What is not written as JSON comes back as it is,
/// for a parser to refuse. The result may point into `kept`. Pure.
std::string_view without_values(std::string_view line, std::span<const std::string_view> names,
                                std::string& kept);

}  // namespace headway::cli
