// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

// Whether another process works in an agent's conversation, which two processes would corrupt. Only
// names, sizes, locks and the registers of running agents are looked at.

namespace headway::cli {

/// Where agents keep their conversations.
struct AgentHomes {
    std::string claude;  ///< $CLAUDE_CONFIG_DIR or ~/.claude
    std::string codex;   ///< $CODEX_HOME or ~/.codex
};

/// An empty path: not known.
AgentHomes agent_homes(std::map<std::string, std::string> environment);

/// The process that has the conversation open: "process 4711 of claude"; empty: no process is
/// known. For Claude by its register of live sessions, for Codex by its lock.
std::string open_elsewhere(const std::string& agent, const std::string& conversation,
                           const AgentHomes& homes);

/// Bytes of its stored conversation, which grows with each turn; 0: not known.
std::uint64_t stored_bytes(const std::string& agent, const std::string& conversation,
                           const AgentHomes& homes);

}  // namespace headway::cli
