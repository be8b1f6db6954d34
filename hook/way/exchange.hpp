// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hook/way/places.hpp"

// One request and its reply over one connection.

namespace headway::hook {

/// A connected socket, or -1. Waits at most a second for the daemon to take it.
int connect_to(const Place& place);

/// Result of a request: the body of the reply, or why there is none.
struct Outcome {
    std::string body;
    std::string away;  ///< a part of a sentence; empty: the daemon has answered
    bool wants_older_uses = false;
    bool wants_goal = false;  ///< the command of the operator's goal is to be run
};

/// Sends a request and waits for its reply, as long as bytes come at least every `silence_ms`. The
/// descriptor `pidfd` goes with the first bytes over a Unix socket, unless it is -1. Closes
/// `connection`.
Outcome exchange(int connection, std::string_view head, std::string_view body, int pidfd,
                 int silence_ms);

}  // namespace headway::hook
