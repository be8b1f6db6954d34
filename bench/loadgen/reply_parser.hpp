// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

// Just enough of HTTP and RESP to tell where a reply ends and whether it is a good one.

namespace headway::bench {

struct Reply {
    int status;         ///< of HTTP; 200 or 500 for Redis
    std::size_t bytes;  ///< of the whole reply
};

/// The reply at the start of `text`; empty while it is incomplete. Chunked replies are not
/// understood (status 0, all bytes): nothing that is measured sends them.
std::optional<Reply> parse_http_reply(std::string_view text);
std::optional<Reply> parse_redis_reply(std::string_view text);

}  // namespace headway::bench
