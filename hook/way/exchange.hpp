// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hook/way/places.hpp"

// One request and its reply over one connection.

namespace headway::hook {

/// A connected socket, or -1. Waits at most a second for the daemon to accept the connection.
int connect_to(const Place& place);

/// The result of a request: the body of the reply, or why there is no reply.
struct Outcome {
    std::string body;
    std::string away;  ///< why there is no reply, as part of a sentence; else empty
    int status = 0;    ///< HTTP status of a reply that is an error or incomplete; 0 = none
    bool wants_older_uses = false;
    bool wants_goal = false;  ///< the operator's goal command is to be run
};

/// Sends a request and waits for its reply; gives up after `silence_ms` without a byte. On a Unix
/// socket, the descriptor `pidfd` is passed with the first bytes, unless it is -1. Closes
/// `connection`.
Outcome exchange(int connection, std::string_view head, std::string_view body, int pidfd,
                 int silence_ms);

}  // namespace headway::hook
