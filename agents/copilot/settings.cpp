// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/agent_table.hpp"

namespace headway::cli {
namespace {

std::vector<AgentHookEvent> copilot_events() {
    return {
        {"SessionStart", kHookCommandSeconds},       {"UserPromptSubmit", kHookCommandSeconds},
        {"PreToolUse", kHookDecisionSeconds},        {"PostToolUse", kHookCommandSeconds},
        {"PostToolUseFailure", kHookCommandSeconds}, {"PermissionRequest", kHookDecisionSeconds},
        {"Notification", kHookCommandSeconds},       {"Stop", kHookCommandSeconds},
        {"SubagentStart", kHookCommandSeconds},      {"SubagentStop", kHookCommandSeconds},
        {"ErrorOccurred", kHookCommandSeconds},      {"SessionEnd", kHookCommandSeconds}};
}

}  // namespace

AgentRow copilot_row() {
    return {
        .name = "copilot",
        .title = "Copilot CLI",
        .programs = {"copilot"},
        .packages = {"@github/copilot"},
        .user_path = ".copilot/hooks/headway.json",
        .project_path = ".github/hooks/headway.json",
        .layout = HookLayout::kFlat,
        .http = false,
        .time_units = 1,
        .events = copilot_events(),
        .tested_from = "1.0.102",
        .tested_to = "1.0.102",
    };
}

}  // namespace headway::cli
