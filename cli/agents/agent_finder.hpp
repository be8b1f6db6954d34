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

/// The text of a variable; empty: it is not set.
std::string variable_of(const Environment& environment, const std::string& name);

/// The first program of this name in the folders of PATH. Nothing: there is none.
std::optional<std::filesystem::path> find_program(std::string_view name,
                                                  const Environment& environment);

struct FoundAgent {
    std::filesystem::path program;  ///< empty: it is not on PATH
    std::string version;            ///< empty: it does not say
};

/// Looks for an agent. Its version is in the package.json beside it, else it is asked for, which
/// may take 3 s.
FoundAgent find_agent(const AgentRow& row, const Environment& environment);

/// headway-hook beside this program, else on PATH. Nothing: neither.
std::optional<std::filesystem::path> find_hook_program(const Environment& environment);
/// This program.
std::filesystem::path own_program();

}  // namespace headway::cli
