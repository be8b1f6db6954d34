// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace headway::api {

/// `text` with `&amp;`, `&lt;`, `&gt;` and `&quot;` in place of the characters that have a meaning
/// in HTML and XML; fit for text and for a quoted attribute. Pure; linear in the text.
std::string with_entities(std::string_view text);

}  // namespace headway::api
