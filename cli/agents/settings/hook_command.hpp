// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Recognises Headway's commands and URLs in the settings of agents, and reads their parts.

namespace headway::cli {

/// True if a command begins with headway-hook and runs it for this agent. Pure.
bool is_hook_command(std::string_view command, std::string_view agent);
/// The daemon's URL in such a command; empty: none. Pure.
std::string url_in_command(std::string_view command);
/// The goal in such a command; empty: none. Pure.
std::string goal_in_command(std::string_view command);
/// True if a URL is that of Headway's hooks for this agent. Pure.
bool is_hook_url(std::string_view url, std::string_view agent);
/// True if such a URL requires that calls wait for the daemon. Pure.
bool is_required_url(std::string_view url);
/// is_required_command(): true if such a command requires that calls wait for the daemon.
/// program_in_command(): the program that a command runs. Pure.
bool is_required_command(std::string_view command);
std::string program_in_command(std::string_view command);

}  // namespace headway::cli
