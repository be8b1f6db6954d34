// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/agents/install/install_plan.hpp"

// Settings of an agent by which it does not call hooks that stand in its settings.

namespace headway::cli {

/// Sentences for a person; each names the file and the setting.
struct HookBarriers {
    std::vector<std::string> all;    ///< by these none of our hooks is called
    std::vector<std::string> http;   ///< by these none that is a request; commands are
    std::vector<std::string> notes;  ///< settings that look so, but have no effect where they stand
};

/// Looks through all settings that the agent puts together: the user's, those of the folder in
/// `place`, its local ones, and those of the machine. A file that cannot be read bars nothing.
HookBarriers find_hook_barriers(const AgentRow& row, const InstallPlace& place, const HookWay& way);

/// Whether a pattern with `*` for any text names this URL. Pure.
bool names_url(std::string_view pattern, std::string_view url);

}  // namespace headway::cli
