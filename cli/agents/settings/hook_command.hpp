// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Commands and URLs in the settings of agents: which are ours, and what they name.

namespace headway::cli {

/// Whether such a command runs headway-hook for this agent, and begins with it. Pure.
bool is_hook_command(std::string_view command, std::string_view agent);
/// The daemon that such a command names; empty: none. Pure.
std::string url_in_command(std::string_view command);
/// The goal that such a command pursues; empty: none. Pure.
std::string goal_in_command(std::string_view command);
/// Whether such a URL is that of Headway's hooks for this agent. Pure.
bool is_hook_url(std::string_view url, std::string_view agent);
/// Whether it asks for calls to wait for the daemon. Pure.
bool is_required_url(std::string_view url);
/// The same of a command, and the program that it runs. Pure.
bool is_required_command(std::string_view command);
std::string program_in_command(std::string_view command);

}  // namespace headway::cli
