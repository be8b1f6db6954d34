// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace headway::api {

/// Appends `text` as a JSON string, including quotes.
void append_json_string(std::string& out, std::string_view text);

/// Appends the shortest JSON number that parses as `v`, which must be finite.
void append_json_number(std::string& out, double v);

}  // namespace headway::api
