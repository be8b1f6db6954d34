// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/agents/agent_files.hpp"
#include "cli/agents/agent_finder.hpp"
#include "cli/agents/agent_table.hpp"

// Plans how installing or uninstalling would change files. Only reads files.

namespace headway::cli {

struct InstallPlace {
    Environment environment;
    std::filesystem::path project;  ///< folder of the project; empty: the user's settings
    std::filesystem::path folder;   ///< folder whose settings apply in addition to the user's;
                                    ///< empty: none
};

/// The settings of an agent: a file, or a folder of scripts. Error: kInvalidParameter without HOME.
core::Result<std::filesystem::path> settings_path(const AgentRow& row, const InstallPlace& place);

/// The changes that insert Headway's entries; none if the entries exist already. With `required`,
/// way.require replaces the matcher in the settings, even if it is empty; otherwise the matcher in
/// the settings stays. Error: kInvalidParameter, with the reason why the changes cannot be made.
core::Result<std::vector<FileChange>> plan_install(const AgentRow& row, const InstallPlace& place,
                                                   const HookWay& way, bool required);

/// The changes that remove Headway's entries. Error: as in plan_install().
core::Result<std::vector<FileChange>> plan_uninstall(const AgentRow& row,
                                                     const InstallPlace& place);

/// The settings that an install would write for an agent without settings.
std::string snippet(const AgentRow& row, const HookWay& way);

/// A script of Headway's, for one event of an agent with kScripts. Pure.
std::string hook_script(const AgentRow& row, const HookWay& way);
/// A plugin of Headway's. Pure.
std::string plugin_text(const AgentRow& row, const HookWay& way);
/// True if a script or plugin is one of Headway's. Pure.
bool is_own_file(std::string_view text);

/// Obstacles that may prevent the installed hooks from working: sentences for a person.
std::vector<std::string> hook_warnings(const AgentRow& row, const InstallPlace& place,
                                       const HookWay& way, const std::string& version);
/// The environment variable that names a proxy for requests of hooks; empty: no proxy is used.
std::string proxy_in_the_way(const Environment& environment);

}  // namespace headway::cli
