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

/// The session id without the number of its generation: "night" for "night~2" and for "night".
/// Pure.
std::string_view base_of_generation(std::string_view session);

/// The id of the next generation: `night~2` for `night`, `night~3` for `night~2`. Pure.
std::string next_generation(std::string_view session);

}  // namespace headway::cli
