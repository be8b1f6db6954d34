// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace headway::core {

/// SHA-256 (FIPS 180-4) as 64 lowercase hexadecimal digits. For what a person decides about, where
/// equal has to mean equal whoever chose the bytes; digest_of() is for all else. Pure; stable for
/// ever, since digests are stored.
std::string sha256_hex(std::string_view bytes);

}  // namespace headway::core
