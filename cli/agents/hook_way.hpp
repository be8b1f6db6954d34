// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/agents/agent_finder.hpp"
#include "cli/agents/agent_table.hpp"
#include "config/load/load.hpp"
#include "core/base/result.hpp"

namespace headway::cli {

/// How hooks reach the daemon: the URL that is named (`url`, HEADWAY_URL), else where these
/// settings listen; headway-hook, where it is found. Error: kInvalidParameter, when it is no URL
/// that agents can use.
core::Result<HookWay> find_hook_way(const std::string& url, const config::LoadRequest& sources);

/// Whether a process of this machine may steer without a token: agents could decide for themselves.
bool steers_without_token(const config::LoadRequest& sources);

}  // namespace headway::cli
