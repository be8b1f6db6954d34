// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

namespace headway::training {

/// The clocks stand still, and go on by `time` with each call: what is counted must not depend on
/// how fast the machine is.
void move_clocks(std::chrono::milliseconds time);

/// Called where the daemon would wait for a notification, in place of that.
void when_waiting(std::function<void()> go_on);

}  // namespace headway::training
