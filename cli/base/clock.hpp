// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

// The client's clocks, in one place. Verbs take times as arguments where tests must be able to
// choose them.

namespace headway::cli {

using SteadyTime = std::chrono::steady_clock::time_point;

inline SteadyTime steady_now() {
    return std::chrono::steady_clock::now();
}

inline std::chrono::sys_time<std::chrono::milliseconds> wall_now() {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

}  // namespace headway::cli
