// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headway::cli {

/// 64 random bits from the kernel. Any thread.
std::uint64_t random_bits();

/// 12 random hexadecimal digits, for session and event ids. Any thread.
std::string random_tag();

/// Makes a valid session id from any text: invalid characters become '-', at most 128 bytes, never
/// empty. Pure.
std::string session_id_of(std::string_view text);

}  // namespace headway::cli
