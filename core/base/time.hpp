// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

// Time is passed as data: nothing in core, storage, api or config reads a clock, and every command
// has its own `now`.

namespace headway::core {

using Millis = std::chrono::milliseconds;

/// A point on the daemon's timeline: wall time in milliseconds, which never runs backwards within
/// one process (server/clock). The epoch value means "never".
using Timestamp = std::chrono::sys_time<Millis>;

inline constexpr Timestamp kNever{};

}  // namespace headway::core
