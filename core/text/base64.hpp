// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headway::core {

/// RFC 4648 section 4, with padding. Pure.
std::string to_base64(std::string_view bytes);

/// The decoded bytes; nothing for an invalid text: other characters, white space, wrong length or
/// padding. Pure.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace headway::core
