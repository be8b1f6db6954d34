// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/agents/agent_table.hpp"
#include "cli/agents/settings/settings_text.hpp"
#include "core/base/result.hpp"

// Finds and changes Headway's entries among the other entries in an agent's settings.

namespace headway::cli {

/// One hook of Headway's.
struct OwnHook {
    std::string event;
    SettingsText::Id hook = SettingsText::kNone;
    SettingsText::Id entry = SettingsText::kNone;  ///< the hook's group, or the hook itself
    bool whole = true;                             ///< the entry contains no hook of another
                                                   ///< program
};

/// Headway's hooks that are in force. With `all`, also those that a later member of the same name
/// hides. Pure.
std::vector<OwnHook> own_hooks(const AgentRow& row, const SettingsText& settings, bool all = false);

/// The settings with these entries and no other entries of Headway; entries in older forms are
/// replaced in place. With `keep_required`, entries that require an answer stay. Returns the same
/// text if there is nothing to do. Error: kInvalidParameter with the place, if the text is not
/// JSON, the hooks are of another kind, or a name occurs twice. Pure.
core::Result<std::string> with_own_hooks(const AgentRow& row, const std::string& text,
                                         const std::vector<HookEntry>& entries, bool keep_required);

/// The matcher of the one entry that requires an answer. Returns nothing if there is no such entry,
/// or several. Pure.
std::optional<std::string> required_matcher(const AgentRow& row, const std::string& text);

/// The settings without Headway's entries; undoes with_own_hooks(). Error: as in with_own_hooks().
/// Pure.
core::Result<std::string> without_own_hooks(const AgentRow& row, const std::string& text);

/// The goal in Headway's entries; empty: none. Pure.
std::string goal_of_own_hooks(const AgentRow& row, const std::string& text);

/// `way` with the values that Headway's entries in these settings have, if there are any. These
/// values are the daemon's URL, whether a token is sent, whether all entries are commands, and the
/// goal. Pure.
HookWay way_of_own_hooks(const AgentRow& row, const std::string& text, HookWay way);

/// True if the settings have only the members that every settings file of this agent has. Pure.
bool is_bare(const AgentRow& row, const std::string& text);

/// Which entries exist and which are missing; for `headway doctor`. Pure.
struct OwnHooksState {
    std::size_t present = 0;             ///< number of entries that are as they should be
    std::vector<std::string> missing{};  ///< events without their entry
    std::size_t others = 0;              ///< number of Headway's entries in another form
};
core::Result<OwnHooksState> own_hooks_state(const AgentRow& row, const std::string& text,
                                            const std::vector<HookEntry>& entries);

}  // namespace headway::cli
