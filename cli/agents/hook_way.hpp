// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/agents/agent_finder.hpp"
#include "cli/agents/agent_table.hpp"
#include "config/load/load.hpp"
#include "core/base/result.hpp"

namespace headway::cli {

/// Finds how hooks reach the daemon. The daemon's URL is the first of these: `url`; HEADWAY_URL;
/// unless `sources` name a file, the address of the daemon whose socket client commands find; the
/// listening address in the configuration that `sources` describe. May send a request to that
/// daemon. The result includes the path of headway-hook, if it is found. Error: kInvalidParameter
/// for a URL that agents cannot use.
core::Result<HookWay> find_hook_way(const std::string& url, const config::LoadRequest& sources);

/// True if any process on this machine may control sessions without a token; agents could then
/// decide their own requests.
bool steers_without_token(const config::LoadRequest& sources);

}  // namespace headway::cli
