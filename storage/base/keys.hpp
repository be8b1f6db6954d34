// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace headway::storage {

/// Key of a session's row; later sessions have greater keys.
using SessionKey = std::int64_t;

/// Position in the stream of all sessions; later events have greater cursors, with gaps.
using Cursor = std::int64_t;

}  // namespace headway::storage
