// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/conversations/agent_homes.hpp"

// Finds another process that has an agent's conversation open, because two processes would corrupt
// it. Uses only file names, sizes of files and of database rows, locks, and the registers of
// running agents.

namespace headway::cli {

/// The process that has the conversation open: "process 4711 of claude", "a process of codex";
/// empty if no process is known. It is found in Claude's register of live sessions, or through
/// Codex's lock.
std::string open_elsewhere(const std::string& agent, const std::string& conversation,
                           const AgentHomes& homes);

/// The files of the stored conversation; empty: none was found, or the agent stores it in a
/// database.
std::vector<std::string> stored_files(const std::string& agent, const std::string& conversation,
                                      const AgentHomes& homes);

/// Bytes of the stored conversation, which grows with each turn; 0: unknown.
std::uint64_t stored_bytes(const std::string& agent, const std::string& conversation,
                           const AgentHomes& homes);

}  // namespace headway::cli
