// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "server/testclock/jumps.hpp"
#include "tests/support/supervised.hpp"

namespace headway::tests {

/// Turns and probes, until everything that waits for the store was tried again, whatever the pause
/// after its last failure. For unit_server only, whose clocks can be moved.
inline void settle_down(Supervised& daemon) {
    constexpr int kTurns = 30;
    for (int i = 0; i < kTurns; ++i) {
        server::testclock::jump(server::testclock::Jump::pass(std::chrono::seconds{1}));
        daemon.engine().upkeep(true);
        daemon.turn({});
    }
}

}  // namespace headway::tests
