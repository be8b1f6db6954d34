// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace headway::storage {

/// True for valid UTF-8, without overlong forms and surrogates (RFC 3629). Pure.
bool is_utf8(std::string_view bytes);

}  // namespace headway::storage
