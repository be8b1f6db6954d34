// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/agent_table.hpp"

namespace headway::cli {

AgentRow kilo_row() {
    return {
        .name = "kilo",
        .title = "Kilo",
        .programs = {"kilo", "kilocode"},
        .packages = {"@kilocode/cli"},
        .user_path = ".config/kilo/plugin/headway.js",
        .project_path = ".kilo/plugin/headway.js",
        .folder_variable = "XDG_CONFIG_HOME",
        .layout = HookLayout::kPlugin,
        .http = true,
        .time_units = 1,
        .tested_from = "7.7.7",
        .tested_to = "7.7.7",
    };
}

}  // namespace headway::cli
