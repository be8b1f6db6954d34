// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace headway::storage {

/// Key of a session's row. Later sessions have greater keys.
using SessionKey = std::int64_t;

/// Position of an event in the stream of all sessions. Later events have greater cursors, with
/// gaps.
using Cursor = std::int64_t;

}  // namespace headway::storage
