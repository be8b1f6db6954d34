// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/redaction/secrets.hpp"

// The header `X-Headway-Goal` of a hook: the operator's goal, and how the command of the goal
// ended.

namespace headway::api::hooks {

struct GoalReport {
    bool set = false;  ///< the hook has a goal
    bool ran = false;  ///< the goal's command has run, and this hook only reports the result
    std::uint64_t exit_status = 0;
    bool timed_out = false;
    std::string command;  ///< UTF-8, without secrets
    std::string output;   ///< the end of the command's output; UTF-8, without secrets

    bool reached() const { return ran && !timed_out && exit_status == 0; }
    /// True if the shell did not find the command or could not execute it: then it is not known
    /// whether the goal is reached.
    bool cannot_run() const {
        return ran && !timed_out && (exit_status == 126 || exit_status == 127);
    }
};

inline constexpr std::size_t kGoalCommandMax = 500;
inline constexpr std::size_t kGoalOutputMax = 1'200;

/// Reads `ask;COMMAND`, `STATUS;COMMAND;OUTPUT` or `time;COMMAND;OUTPUT`, where the texts are in
/// hexadecimal digits. Any other text is not a goal. If `secrets` is null, no secrets are redacted.
/// Pure.
GoalReport read_goal_report(std::string_view header, const core::SecretFinder* secrets);

}  // namespace headway::api::hooks
