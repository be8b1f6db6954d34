// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.hpp"

// A second name of an approval request, for clients that parse `request_id` as a UUID
// (docs/first-designs.md). The alias is computed from the journal, so it survives restarts, and
// requests in older journals have one too. It is not a secret.

namespace headway::core {

/// A UUIDv7 (RFC 9562 5.7): the moment of the request, 12 bits of a digest of its id, and its
/// position in the stream of all sessions. Precondition: `cursor` is above 0. Pure.
std::string approval_alias(std::string_view session, std::uint64_t n, Timestamp at,
                           std::int64_t cursor);

/// True for a UUID of any version, in any case of its letters. Pure.
bool is_uuid(std::string_view text);

/// The stream position in an alias; nothing if the text is not an alias. The caller must compare
/// `alias` with the alias of the request at that position. Pure.
std::optional<std::int64_t> cursor_of_alias(std::string_view alias);

}  // namespace headway::core
