// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/time.hpp"

namespace headway::server {

/// A UUIDv7 (RFC 9562 5.7): 48 bits of `now`, the rest random. Any thread.
std::string new_session_id(core::Timestamp now);

}  // namespace headway::server
