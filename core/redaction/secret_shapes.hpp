// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/redaction/secrets.hpp"
#include "core/text/words.hpp"

// Secrets that can be recognised by their form alone. All functions are pure, and linear in the
// text that they scan.

namespace headway::core {

constexpr bool in_name(char c) {
    return is_word(c) || c == '-';
}

/// Length of the run of characters at `from` for which `belongs` is true.
std::size_t run_of(std::string_view text, std::size_t from, bool (*belongs)(char));
bool holds_digit(std::string_view text);

/// The token of a known shape at `at`, the start of a word. No JWT begins before `no_jwt_before`.
/// The function raises this offset, so that the text is not scanned again for each possible start.
std::optional<SecretSpan> token_at(std::string_view text, std::size_t at,
                                   std::size_t& no_jwt_before);
/// The credential after `Bearer`.
std::optional<SecretSpan> bearer_at(std::string_view text, std::size_t at);
/// The user name and password before the @ of a URL. A user name alone is not a secret.
std::optional<SecretSpan> userinfo_at(std::string_view text, std::size_t colon);
/// The path of a URL that itself permits posting: a webhook of Slack or Discord, or a bot of
/// Telegram.
std::optional<SecretSpan> webhook_at(std::string_view text, std::size_t colon);
/// A private key in PEM.
std::optional<SecretSpan> key_block_at(std::string_view text, std::size_t at);
/// A token or a private key that begins within the name from `start` on: after `-` or `_`, or after
/// the rest of an escape (`\n`, `%3D`, the end of a colour code).
std::optional<SecretSpan> shape_within(std::string_view text, std::size_t start, std::size_t at,
                                       std::size_t& no_jwt_before);

}  // namespace headway::core
