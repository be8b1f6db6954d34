// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/redaction/secrets.hpp"
#include "core/text/words.hpp"

// Secrets that their form alone shows. All functions are pure, and linear in what they scan.

namespace headway::core {

constexpr bool in_name(char c) {
    return is_word(c) || c == '-';
}

/// Length of the run of such characters at `from`.
std::size_t run_of(std::string_view text, std::size_t from, bool (*belongs)(char));
bool holds_digit(std::string_view text);

/// A token by its shape, at the start of a word. No JWT begins before `no_jwt_before`, which it
/// raises, so that no part of the text is scanned for each possible start.
std::optional<SecretSpan> token_at(std::string_view text, std::size_t at,
                                   std::size_t& no_jwt_before);
/// The credential after `Bearer`.
std::optional<SecretSpan> bearer_at(std::string_view text, std::size_t at);
/// User name and password before the @ of a URL; a user name alone is no secret.
std::optional<SecretSpan> userinfo_at(std::string_view text, std::size_t colon);
/// The path of a URL with which anybody can post: of a webhook of Slack or Discord, or of a bot of
/// Telegram.
std::optional<SecretSpan> webhook_at(std::string_view text, std::size_t colon);
/// A private key in PEM.
std::optional<SecretSpan> key_block_at(std::string_view text, std::size_t at);
/// A token or a private key that begins within the name from `start` on: behind `-` or `_`, or
/// behind what is left of an escape (`\n`, `%3D`, the end of a colour code).
std::optional<SecretSpan> shape_within(std::string_view text, std::size_t start, std::size_t at,
                                       std::size_t& no_jwt_before);

}  // namespace headway::core
