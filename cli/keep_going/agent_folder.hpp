// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

// The folder in which an agent works, and whether it prints JSON lines, according to the options of
// its command. Pure.

namespace headway::cli {

/// The folder that the command of a known agent names for its work, as written there; empty: none.
std::string named_folder(const std::vector<std::string>& command);

/// The option of the command by which a known agent makes a folder for itself at each start, as
/// written there; empty: none.
std::string fresh_folder_option(const std::vector<std::string>& command);

/// True for the program of a known agent.
bool is_agent_program(const std::string& program);

/// True if the command of a known agent has the option by which it prints JSON lines, for a run or
/// for something else.
bool names_lines(const std::vector<std::string>& command);

/// The name of the known agent whose own program the command calls for a run with JSON lines: with
/// the option for lines, and with a prompt, or in a form that takes the prompt from standard input.
/// Empty: the command is no such call.
std::string called_for_lines(const std::vector<std::string>& command);

}  // namespace headway::cli
