// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/agents/agent_finder.hpp"
#include "cli/agents/agent_table.hpp"
#include "config/load/load.hpp"
#include "core/base/result.hpp"

namespace headway::cli {

/// How hooks reach the daemon: by the URL in `url` or HEADWAY_URL, else, unless `sources` name a
/// file, by the address of the daemon that client commands find by its socket, else by the
/// listening address in the configuration that `sources` describes. May ask that daemon. Includes
/// the path of headway-hook, if it is found. Error: kInvalidParameter for a URL that agents cannot
/// use.
core::Result<HookWay> find_hook_way(const std::string& url, const config::LoadRequest& sources);

/// True if any process on this machine may control sessions without a token; agents could then
/// decide their own requests.
bool steers_without_token(const config::LoadRequest& sources);

}  // namespace headway::cli
