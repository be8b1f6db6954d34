// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"

// What a token looks like: `hw_<id>_<secret><checksum>`. The id is public and names the token; the
// secret is 43 random letters and digits, more than 256 bits; the checksum tells a token that was
// copied badly from one that nobody knows, and lets scanners of secrets skip what only looks like
// one.

namespace headway::server {

/// A token that was just made.
struct NewToken {
    std::string id;
    std::string text;  ///< what the bearer shows
    std::string hash;  ///< what is stored
};

/// Makes a token with this id, or with a random one when it is empty. Error: kInternal when the
/// system has no randomness.
core::Result<NewToken> make_token(std::string id = {});

/// The id in a token that is whole; its secret is not looked at. Error: kUnauthorized, with a
/// sentence that never quotes the text. Pure.
core::Result<std::string_view> token_id(std::string_view text);

/// SHA-256 of a token: 32 bytes. A fast hash is enough, since the secret is random. Pure.
std::string token_hash(std::string_view text);

/// HMAC-SHA256: 32 bytes that only who has the key can make. Pure.
std::string keyed_hash(std::string_view key, std::string_view text);

/// So many random letters and digits. Error: kInternal when the system has no randomness.
core::Result<std::string> random_letters(std::size_t count);

/// Compares without telling by its time where the two differ. Pure.
bool same_hash(std::string_view a, std::string_view b) noexcept;

}  // namespace headway::server
