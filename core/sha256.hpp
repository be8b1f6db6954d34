// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace headway::core {

/// SHA-256 (FIPS 180-4) as 64 lowercase hexadecimal digits. For decisions of people, where a
/// collision must be infeasible; digest_of() is for everything else. Pure; must never change,
/// because digests are stored.
std::string sha256_hex(std::string_view bytes);

}  // namespace headway::core
