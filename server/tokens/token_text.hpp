// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.hpp"

// The form of a token: `hw_<id>_<secret><checksum>`. The id is public. The secret is 43 random
// letters and digits, more than 256 bits. The checksum makes it possible to distinguish a badly
// copied token from an unknown one, and lets secret scanners skip texts that only look like tokens.

namespace headway::server {

/// A new token.
struct NewToken {
    std::string id;
    std::string text;  ///< the token, as a client sends it
    std::string hash;  ///< token_hash() of the text, which is stored
};

/// Makes a token with this id, or with a random id if `id` is empty. Error: kInternal if the system
/// provides no randomness.
core::Result<NewToken> make_token(std::string id = {});

/// Derives the token with this id from `secret`, which must be random. Pure.
NewToken derive_token(std::string id, std::string_view secret);

/// The id of a well-formed token; its secret is not checked. Error: kUnauthorized, with a message
/// that never quotes the text. Pure.
core::Result<std::string_view> token_id(std::string_view text);

/// SHA-256 of a token: 32 bytes. A fast hash is enough, since the secret is random. Pure.
std::string token_hash(std::string_view text);

/// HMAC-SHA256: 32 bytes. Pure.
std::string keyed_hash(std::string_view key, std::string_view text);

/// `count` random letters and digits. Error: kInternal if the system provides no randomness.
core::Result<std::string> random_letters(std::size_t count);

/// Compares in constant time. Pure.
bool same_hash(std::string_view a, std::string_view b) noexcept;

}  // namespace headway::server
