// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

// Server-Sent Events (WHATWG HTML, 9.2). Functions change only arguments.

namespace headway::api {

/// Appends one event; `data` is a single line. An event without `id` does not change the client's
/// position.
void append_sse(std::string& out, std::string_view event, std::optional<std::int64_t> id,
                std::string_view data);

/// A comment that keeps proxies from closing the connection.
inline constexpr std::string_view kSseComment = ":\n\n";

/// A position from `Last-Event-ID` or `last_event_id=`. Error: kInvalidParameter on `field`.
core::Result<std::int64_t> parse_position(std::string_view text, std::string_view field);

}  // namespace headway::api
