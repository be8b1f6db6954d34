// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace headway::api {

/// `text` with `&amp;`, `&lt;`, `&gt;` and `&quot;` for the characters that have a meaning in HTML
/// and XML, so that it can stand as text and as a quoted attribute. Pure; linear in the text.
std::string with_entities(std::string_view text);

}  // namespace headway::api
