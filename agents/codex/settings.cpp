// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/agent_table.hpp"

namespace headway::cli {
namespace {

// Codex clamps SessionEnd and Interrupt to 3 s itself.
std::vector<AgentHookEvent> codex_events() {
    return {{"SessionStart", kHookCommandSeconds},
            {"UserPromptSubmit", kHookCommandSeconds},
            {"PreToolUse", kHookDecisionSeconds},
            {"PostToolUse", kHookCommandSeconds},
            {"PermissionRequest", kHookDecisionSeconds},
            {"Stop", kHookCommandSeconds},
            {"SubagentStart", kHookCommandSeconds},
            {"SubagentStop", kHookCommandSeconds},
            {"PostCompact", kHookCommandSeconds},
            {"SessionEnd", 3},
            {"Interrupt", 3}};
}

}  // namespace

AgentRow codex_row() {
    return {
        .name = "codex",
        .title = "Codex",
        .programs = {"codex"},
        .packages = {"@openai/codex"},
        .user_path = ".codex/hooks.json",
        .project_path = ".codex/hooks.json",
        .folder_variable = "CODEX_HOME",
        .layout = HookLayout::kGroups,
        .http = false,
        .time_units = 1,
        .events = codex_events(),
        .tested_from = "0.169.0",
        .tested_to = "0.171.0",
    };
}

}  // namespace headway::cli
