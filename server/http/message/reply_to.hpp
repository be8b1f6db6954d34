// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace headway::server {

/// Where an answer goes: a connection, which may be gone by then, and its slot in the order of
/// replies.
struct ReplyTo {
    std::uint64_t connection = 0;
    std::uint64_t slot = 0;
};

}  // namespace headway::server
