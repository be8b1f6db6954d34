// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace headway::server {

/// Where a reply goes: to a connection, which may have closed by then, and a slot in its sequence
/// of replies.
struct ReplyTo {
    std::uint64_t connection = 0;
    std::uint64_t slot = 0;
};

}  // namespace headway::server
