// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/agents/agent_table.hpp"
#include "cli/agents/settings/settings_text.hpp"
#include "core/base/result.hpp"

// Our entries among those of others in an agent's settings.

namespace headway::cli {

/// One of ours.
struct OwnHook {
    std::string event;
    SettingsText::Id hook = SettingsText::kNone;
    SettingsText::Id entry = SettingsText::kNone;  ///< its group, or itself
    bool whole = true;                             ///< nothing in the entry is of others
};

/// Those that count, or with `all` also those that a member of the same name hides. Pure.
std::vector<OwnHook> own_hooks(const AgentRow& row, const SettingsText& settings, bool all = false);

/// The settings with these entries, and no others of ours: older forms are replaced where they
/// stand. An entry that requires an answer stays when `entries` have none (`keep_required`). The
/// same text: nothing is to be done. Error: kInvalidParameter with the place, when it is no JSON or
/// the hooks are of another kind. Pure.
core::Result<std::string> with_own_hooks(const AgentRow& row, const std::string& text,
                                         const std::vector<HookEntry>& entries, bool keep_required);

/// The matcher of the one entry that requires an answer. Nothing: there is none, or more than one.
/// Pure.
std::optional<std::string> required_matcher(const AgentRow& row, const std::string& text);

/// The settings without ours: what with_own_hooks() was given. Error: as there. Pure.
core::Result<std::string> without_own_hooks(const AgentRow& row, const std::string& text);

/// The goal in our entries; empty: none. Pure.
std::string goal_of_own_hooks(const AgentRow& row, const std::string& text);

/// As our entries in these settings reach the daemon, where there are some: its URL, whether they
/// show a token, whether all are commands, and their goal. Pure.
HookWay way_of_own_hooks(const AgentRow& row, const std::string& text, HookWay way);

/// Whether nothing is left in settings but what every file of this agent has. Pure.
bool is_bare(const AgentRow& row, const std::string& text);

/// Entries that exist and those that are missing; for `headway doctor`. Pure.
struct OwnHooksState {
    std::size_t present = 0;             ///< as they shall be
    std::vector<std::string> missing{};  ///< events
    std::size_t others = 0;              ///< of ours, of another form
};
core::Result<OwnHooksState> own_hooks_state(const AgentRow& row, const std::string& text,
                                            const std::vector<HookEntry>& entries);

}  // namespace headway::cli
