// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace headway::core {

using Sha256Digest = std::array<unsigned char, 32>;

/// SHA-256 (FIPS 180-4). Used for people's decisions and for secrets, where a collision must be
/// infeasible; digest_of() is used for everything else. Pure; must never change, because digests
/// are stored.
Sha256Digest sha256(std::string_view bytes);

/// The digest of sha256(), as 64 lowercase hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

/// HMAC with SHA-256 (RFC 2104). Pure.
Sha256Digest hmac_sha256(std::string_view key, std::string_view text);

}  // namespace headway::core
