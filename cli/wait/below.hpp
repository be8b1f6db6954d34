// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headway::cli {

class Daemon;

/// A line about sub-agents of the session that need a person. The session's own verdict does not
/// show this need, because the session only waits for its sub-agents. Empty if no sub-agent needs a
/// person, if `until` does not include such a need, or if several sessions are awaited. Sends at
/// most two requests.
std::vector<std::string> needs_below(Daemon& daemon, const std::vector<std::string>& sessions,
                                     std::string_view until);

}  // namespace headway::cli
