// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/agent_table.hpp"

namespace headway::cli {

AgentRow qwen_row() {
    return {
        .name = "qwen",
        .title = "Qwen Code",
        .programs = {"qwen"},
        .packages = {"@qwen-code/qwen-code"},
        .user_path = ".qwen/settings.json",
        .project_path = ".qwen/settings.json",
        .layout = HookLayout::kGroups,
        .http = true,
        .time_units = 1,
        // SessionStart by a command, which alone tells whose process it is: `qwen -p` has no
        // SessionEnd.
        .events = claude_like_events(false),
        .tested_from = "0.24.4",
        .tested_to = "0.24.4",
    };
}

}  // namespace headway::cli
