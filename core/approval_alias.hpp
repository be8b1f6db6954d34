// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/time.hpp"

// A second name of a request for approval, for clients that parse UUIDs (first design `request_id:
// Uuid`). It is made of what the journal holds of the request, so that it is durable and requests
// of older journals have one too. It is a name and no secret.

namespace headway::core {

/// A UUIDv7 (RFC 9562 5.7): the moment of the request, 12 bits of a digest of its id, and its
/// position in the stream of all sessions. `cursor` is above 0. Pure.
std::string approval_alias(std::string_view session, std::uint64_t n, Timestamp at,
                           std::int64_t cursor);

/// The position that an alias names; nothing when the text is no alias. Whether it is the alias of
/// the request there is the caller's to compare. Pure.
std::optional<std::int64_t> cursor_of_alias(std::string_view alias);

}  // namespace headway::core
