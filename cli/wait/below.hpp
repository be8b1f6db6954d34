// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headway::cli {

class Daemon;

/// A line about sub-agents of the session that need a person; nothing if none does, `until` does
/// not end a wait for that, or several sessions are awaited. A session waits for its sub-agents,
/// so its own verdict does not show it. Sends two requests.
std::vector<std::string> needs_below(Daemon& daemon, const std::vector<std::string>& sessions,
                                     std::string_view until);

}  // namespace headway::cli
