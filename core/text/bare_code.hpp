// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace headway::core {

/// True if the two texts differ in comments and white space only.
bool differ_in_looks_only(std::string_view before, std::string_view after);

}  // namespace headway::core
