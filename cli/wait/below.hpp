// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace headway::cli {

class Daemon;
struct WaitAnswer;

/// By session: a line about its sub-agents that need a person. The session's own verdict does not
/// show this need, because the session only waits for its sub-agents.
using NeedsBelow = std::map<std::string, std::string>;

/// The needs that end the wait: those of all sessions that are not met yet or, if `any`, of one of
/// them; `answer` then gets the exit code and the lines. Empty if the wait goes on, or `until` does
/// not end it for a need. Sends at most two requests for each such session.
NeedsBelow needs_below(Daemon& daemon, bool any, std::string_view until, WaitAnswer& answer);

}  // namespace headway::cli
