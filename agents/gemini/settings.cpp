// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/agent_table.hpp"

namespace headway::cli {
namespace {

std::vector<AgentHookEvent> gemini_events() {
    return {{"SessionStart", kHookCommandSeconds}, {"BeforeAgent", kHookCommandSeconds},
            {"AfterModel", kHookCommandSeconds},   {"BeforeTool", kHookDecisionSeconds},
            {"AfterTool", kHookCommandSeconds},    {"AfterAgent", kHookCommandSeconds},
            {"Notification", kHookCommandSeconds}, {"SessionEnd", kHookCommandSeconds}};
}

}  // namespace

AgentRow gemini_row() {
    return {
        .name = "gemini",
        .title = "Gemini CLI",
        .programs = {"gemini"},
        .packages = {"@google/gemini-cli"},
        .user_path = ".gemini/settings.json",
        .project_path = ".gemini/settings.json",
        .layout = HookLayout::kGroups,
        .http = false,
        .time_units = 1'000,
        .events = gemini_events(),
        .tested_from = "0.61.0",
        .tested_to = "0.61.0",
    };
}

}  // namespace headway::cli
