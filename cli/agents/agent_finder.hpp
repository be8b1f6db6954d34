// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/agents/agent_table.hpp"

namespace headway::cli {

using Environment = std::map<std::string, std::string>;

/// The text of a variable; empty: not set.
std::string variable_of(const Environment& environment, const std::string& name);

/// The first program of this name in the folders of PATH; nothing if there is none.
std::optional<std::filesystem::path> find_program(std::string_view name,
                                                  const Environment& environment);

struct FoundAgent {
    std::filesystem::path program;  ///< path of the program; empty: not on PATH
    std::string version;            ///< the program's version; empty: unknown
};

/// Looks for an agent. Its version is read from the package.json next to it, else obtained by
/// running the agent, which may take 3 s.
FoundAgent find_agent(const AgentRow& row, const Environment& environment);

/// headway-hook next to this program, else on PATH; nothing if there is none.
std::optional<std::filesystem::path> find_hook_program(const Environment& environment);
/// Path of this program.
std::filesystem::path own_program();

}  // namespace headway::cli
