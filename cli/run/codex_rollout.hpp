// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cli/base/json.hpp"
#include "cli/lines/agent_line.hpp"

// The record that Codex keeps of a thread. It has what the lines of `codex exec --json` do not: the
// class of an error, and when a limit resets. Only read, only a file of this user, and only its
// end.

namespace headway::cli {

/// Adds to an error the class, the status and the time of the reset that the end of a rollout has
/// for the last turn. Leaves it as it is where the last turn has no error. Pure.
void add_stop_in_rollout(std::string_view end_of_rollout, Json& error);

/// The path of the rollout of a thread below the folder of Codex; empty if there is none. Looks at
/// a bounded number of files, the newest days first.
std::string find_rollout(const std::string& codex_home, std::string_view thread);

/// The use of the thread by the end of its last turn; nothing without a count. Pure.
LineTokens total_in_rollout(std::string_view end_of_rollout);
LineTokens total_of_rollout(const std::string& path);

/// add_stop_in_rollout() with the end of this file.
void add_stop_of_rollout(const std::string& path, Json& error);

}  // namespace headway::cli
