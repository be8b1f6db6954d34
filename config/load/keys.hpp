// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/load/row.hpp"
#include "config/settings/settings.hpp"

// The one table of configuration keys. Parsing, ranges, printing, help, default.toml and `headway
// config show` all come from it; to add a key, add its member to settings.hpp and its row to
// keys.cpp or the *_keys.cpp of its section.

namespace headway::config {

/// The row of a key, with a dotted name.
using Key = Row<Settings>;

/// Every key, in the order of settings.hpp. Any thread.
const std::vector<Key>& keys();

/// The key with this dotted name, or null. Any thread.
const Key* find_key(std::string_view name);

/// The names of all keys, for suggestions. Views into keys(). Any thread.
std::vector<std::string_view> key_names();
/// Follows "unknown key": why an earlier key was removed, or the name that was meant. Pure.
std::string hint_about(std::string_view name);

/// "server.listen" -> "HEADWAY_SERVER_LISTEN". Pure.
std::string environment_name(std::string_view key);

/// The value of `key` as TOML: quoted, bare or a list. Pure.
std::string toml_literal(const Key& key, const Settings& settings);

/// The names of the keys that differ and are not reloadable, separated by commas; empty without
/// such keys. Pure.
std::string waiting_for_restart(const Settings& running, const Settings& loaded);

/// The text of default.toml: every key with its default, range and help. Pure.
std::string default_toml();

}  // namespace headway::config
