// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/redaction/secrets.hpp"

// Text that did not come as JSON, so that nothing has checked it.

namespace headway::api {

/// `text` as UTF-8 (RFC 3629): U+FFFD stands in the place of each byte that is none, and NUL is
/// left out. Pure; linear in the text.
std::string as_utf8(std::string_view text);

/// The end of `text`, which says more of a failure than its beginning: at most `bytes_max` bytes of
/// as_utf8(), without the white space around them, and with a "…" in front where something was cut.
/// Pure; looks at the end only.
std::string tail_of(std::string_view text, std::size_t bytes_max);

/// `text` with `[redacted]` in the place of each secret; null finds none. Pure.
std::string without_secrets(std::string_view text, const core::SecretFinder* secrets);

}  // namespace headway::api
