// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headway::api {

/// The body in a form that JsonDocument accepts. The model chooses a call's arguments, so a call
/// must stay readable even if JsonDocument would refuse some of its values. These become strings:
/// half of a surrogate pair becomes its escape, an object or an array deeper than `depth_max`
/// becomes its JSON, and a number too large for a double becomes its digits. Each of these texts
/// follows a mark (U+FDD0) that no other text has. Without the mark, the number 1e999 and the
/// string "1e999" would look equal, and the approval of one call would fit the other. A body that
/// is not JSON stays unchanged. The result is at most three times as long as the body, plus a few
/// bytes for a short body. Linear. Pure.
std::string readable_json(std::string_view body, std::size_t depth_max);

/// True if the body itself contains the mark. readable_json() must then escape it. Pure.
bool has_readable_mark(std::string_view body);

}  // namespace headway::api
