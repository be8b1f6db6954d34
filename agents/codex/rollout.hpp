// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cli/base/json.hpp"
#include "cli/lines/agent_line.hpp"

// The record that Codex keeps of a thread. It has data that the lines of `codex exec --json` lack:
// the class of an error, and the reset time of a limit. Headway never changes the record, reads
// only its end, and only if it is this user's file.

namespace headway::cli {

/// Adds to an error the class, the status and the reset time of the last turn in `end_of_rollout`.
/// Leaves the error unchanged if that turn has no error. Changes only `error`.
void add_stop_in_rollout(std::string_view end_of_rollout, Json& error);

/// The path of a thread's rollout below the folder of Codex; empty: not found. Looks at a bounded
/// number of files, the newest days first.
std::string find_rollout(const std::string& codex_home, std::string_view thread);

/// The tokens that the thread used until the end of its last turn; 0 if there is no count. Pure.
LineTokens total_in_rollout(std::string_view end_of_rollout);
LineTokens total_of_rollout(const std::string& path);

/// The folder in which the thread worked in its last turn; empty: unknown.
std::string folder_of_rollout(const std::string& path);

/// add_stop_in_rollout() with the end of this file.
void add_stop_of_rollout(const std::string& path, Json& error);

}  // namespace headway::cli
