// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/agent_table.hpp"

namespace headway::cli {

AgentRow claude_row() {
    return {
        .name = "claude",
        .title = "Claude Code",
        .programs = {"claude"},
        .packages = {"@anthropic-ai/claude-code"},
        .user_path = ".claude/settings.json",
        .project_path = ".claude/settings.json",
        .folder_variable = "CLAUDE_CONFIG_DIR",
        .layout = HookLayout::kGroups,
        .http = true,
        .time_units = 1,
        .events = claude_like_events(true),
        .tested_from = "2.1.197",
        .tested_to = "2.1.332",
    };
}

}  // namespace headway::cli
