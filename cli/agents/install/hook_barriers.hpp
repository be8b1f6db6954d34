// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/agents/install/install_plan.hpp"

// Settings that prevent an agent from calling its hooks.

namespace headway::cli {

/// Sentences for a person; each names the file and the setting.
struct HookBarriers {
    std::vector<std::string> all;    ///< settings that bar all hooks of Headway
    std::vector<std::string> http;   ///< settings that bar only the hooks that are HTTP requests
    std::vector<std::string> notes;  ///< settings that look like barriers, but have no effect in
                                     ///< their file
};

/// Searches all settings that the agent merges: the user's, those of the folder in `place`, that
/// folder's local settings, and the machine's. A file that cannot be read is not a barrier.
HookBarriers find_hook_barriers(const AgentRow& row, const InstallPlace& place, const HookWay& way);

/// True if a pattern with `*` for any text matches this URL. Pure.
bool names_url(std::string_view pattern, std::string_view url);

}  // namespace headway::cli
