// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/agent_table.hpp"

namespace headway::cli {
namespace {

// Scripts have no timeout of their own.
std::vector<AgentHookEvent> cline_events() {
    return {{"TaskStart", 0},    {"TaskResume", 0},     {"TaskCancel", 0},
            {"TaskComplete", 0}, {"TaskError", 0},      {"PreToolUse", kHookDecisionSeconds},
            {"PostToolUse", 0},  {"SessionShutdown", 0}};
}

}  // namespace

AgentRow cline_row() {
    return {
        .name = "cline",
        .title = "Cline",
        .programs = {"cline"},
        .packages = {"cline"},
        .user_path = ".cline/hooks",
        .project_path = ".clinerules/hooks",
        .layout = HookLayout::kScripts,
        .http = false,
        .time_units = 1,
        .events = cline_events(),
        .tested_from = "3.0.65",
        .tested_to = "3.0.65",
    };
}

}  // namespace headway::cli
