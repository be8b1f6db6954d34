// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace headway::server {

/// Decodes a body with `Content-Encoding: gzip`: exactly one complete member. Inflates at most
/// `bytes_max` bytes, so a decompression bomb costs no more than a body of that size. Errors:
/// kBadRequest, kBodyTooLarge. Pure.
core::Result<std::string> inflate_gzip(std::string_view packed, std::size_t bytes_max);

}  // namespace headway::server
