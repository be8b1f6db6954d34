// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/agent_table.hpp"

namespace headway::cli {

AgentRow pi_row() {
    return {
        .name = "pi",
        .title = "pi",
        .programs = {"pi"},
        .packages = {"@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"},
        .user_path = ".pi/agent/extensions/headway.ts",
        .project_path = ".pi/extensions/headway.ts",
        .layout = HookLayout::kPlugin,
        .http = true,
        .time_units = 1,
        .tested_from = "0.73.1",
        .tested_to = "1.5.2",
    };
}

}  // namespace headway::cli
