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

/// How an agent's hooks send requests to the daemon.
struct HookProbe {
    std::string agent;    ///< name in `headway install NAME`
    std::string dialect;  ///< dialect in the path: the agent's own, or "generic"
    std::string url;      ///< URL of the daemon
    std::string token;    ///< token to send; empty: none
};

/// Sends an empty hook, which changes nothing in the daemon.
HttpReply send_probe(const HookProbe& probe);

/// The meaning of the reply; `about` is "AGENT daemon". Pure.
Finding judge_probe(const HookProbe& probe, const HttpReply& reply);

/// A fault in the version of a daemon that accepted the probe, or in the scopes of the token.
/// Nothing if there is no fault, or if the daemon does not report version and scopes.
std::optional<Finding> examine_daemon(const HookProbe& probe);

/// The token that hooks send in this environment: HEADWAY_TOKEN. Hooks that run as commands
/// (`by_command`) prefer the first line of the file named by HEADWAY_TOKEN_FILE, if it is readable.
std::string token_of_hooks(const Environment& environment, bool by_command);

}  // namespace headway::cli
