// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/agent_table.hpp"

namespace headway::cli {

AgentRow opencode_row() {
    return {
        .name = "opencode",
        .title = "opencode",
        .programs = {"opencode"},
        .packages = {"opencode-ai"},
        .user_path = ".config/opencode/plugin/headway.js",
        .project_path = ".opencode/plugin/headway.js",
        .folder_variable = "XDG_CONFIG_HOME",
        .layout = HookLayout::kPlugin,
        .http = true,
        .time_units = 1,
        .tested_from = "1.18.33",
        .tested_to = "1.18.33",
        .loads_none_from = "2.0.0",
    };
}

}  // namespace headway::cli
