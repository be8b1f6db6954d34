// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/agents/agent_finder.hpp"
#include "cli/client/http_client.hpp"
#include "cli/doctor/doctor.hpp"

// The reply of a daemon to an empty hook, and its meaning for the hooks of an agent.

namespace headway::cli {

/// How an agent asks the daemon.
struct HookProbe {
    std::string agent;    ///< as in `headway install NAME`
    std::string dialect;  ///< of the path: that of the agent, or "generic"
    std::string url;      ///< of the daemon
    std::string token;    ///< empty: it shows none
};

/// Sends the hook. Changes nothing at a daemon.
HttpReply send_probe(const HookProbe& probe);

/// The meaning of the reply; `about` is "AGENT daemon". Pure.
Finding judge_probe(const HookProbe& probe, const HttpReply& reply);

/// The fault of a daemon that took the probe: its version, or what the token may report.
/// Nothing: it is as it shall be, or does not say.
std::optional<Finding> examine_daemon(const HookProbe& probe);

/// The token that hooks show by this environment: HEADWAY_TOKEN, and for commands the first line
/// of the file in HEADWAY_TOKEN_FILE.
std::string token_of_hooks(const Environment& environment, bool by_command);

}  // namespace headway::cli
