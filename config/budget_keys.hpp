// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/keys.hpp"

// The keys of [budget], and those of its tables with free names: [budget.agents.<type>].

namespace headway::config {

/// Appends the keys of [budget] to the table of keys.
void add_budget_keys(std::vector<Key>& table);

/// "budget.agents.<type>.<key>" taken apart. Views into the name.
struct AgentKeyName {
    std::string_view type;  ///< 1 to 128 bytes; may hold dots
    std::string_view key;   ///< one of agent_key_names()
};

/// Nothing for the name of anything else, or of a key that no agent type has. Pure.
std::optional<AgentKeyName> parse_agent_key(std::string_view name);

/// What may stand in such a table; those of [budget], with and without `default_`. Any thread.
const std::vector<std::string_view>& agent_key_names();

Kind agent_key_kind(std::string_view key);

/// Parses, checks and stores one value. Error: kInvalidConfig, nothing stored. Precondition:
/// parse_agent_key(name).
core::Result<> assign_agent_key(Settings& settings, std::string_view name, std::string_view text);

/// Every limit that an agent type has in these settings: dotted name and value.
struct AgentValue {
    std::string name;
    std::string text;
};
std::vector<AgentValue> agent_values(const Settings& settings);

/// Their tables as TOML.
std::string agent_tables(const Settings& settings);

}  // namespace headway::config
