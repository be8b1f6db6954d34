// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/redaction/secrets.hpp"

// Text that did not come as JSON and is therefore unchecked.

namespace headway::api {

/// `text` as UTF-8 (RFC 3629): U+FFFD replaces each invalid byte, and NUL is left out. Pure; linear
/// in the text.
std::string as_utf8(std::string_view text);

/// The end of `text`, because the end shows more about a failure than the beginning. The result is
/// UTF-8 as from as_utf8(), without surrounding white space, in at most `bytes_max` bytes. If
/// `text` was cut, the result begins with "…", which is included in these bytes. Pure; reads only
/// the end.
std::string tail_of(std::string_view text, std::size_t bytes_max);

/// `text` with each secret replaced by `[redacted]`; unchanged if `secrets` is null. Pure.
std::string without_secrets(std::string_view text, const core::SecretFinder* secrets);

}  // namespace headway::api
