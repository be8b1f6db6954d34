// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace headway::server {

/// The destination of a reply: a connection, which may close before the reply is sent, and a slot
/// in the connection's sequence of replies.
struct ReplyTo {
    std::uint64_t connection = 0;
    std::uint64_t slot = 0;
};

}  // namespace headway::server
