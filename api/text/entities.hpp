// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace headway::api {

/// `text` with `&amp;`, `&lt;`, `&gt;` and `&quot;` for the characters with a meaning in HTML and
/// XML, for use as text or as a quoted attribute. Pure; linear in the text.
std::string with_entities(std::string_view text);

}  // namespace headway::api
