// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/load/row.hpp"
#include "config/settings/settings.hpp"

// The one table of configuration keys. Parsing, ranges, printing, help, default.toml and `headway
// config show` all use it. To add a key, add a member to settings.hpp, and a row to keys.cpp or to
// the *_keys.cpp of its section.

namespace headway::config {

/// A row for one key of the settings. Its name is dotted.
using Key = Row<Settings>;

/// Every key, in the order of settings.hpp. Any thread.
const std::vector<Key>& keys();

/// The key with this dotted name, or null. Any thread.
const Key* find_key(std::string_view name);

/// The names of all keys, for suggestions. Views into keys(). Any thread.
std::vector<std::string_view> key_names();
/// Text to follow "unknown key": why a key was removed, or which name was probably meant. Pure.
std::string hint_about(std::string_view name);

/// The environment variable of a key: "HEADWAY_SERVER_LISTEN" for "server.listen". Pure.
std::string environment_name(std::string_view key);

/// The value of `key` as TOML: quoted, bare or a list. Pure.
std::string toml_literal(const Key& key, const Settings& settings);

/// The names of the keys that are not reloadable and whose values differ, separated by commas;
/// empty if there are none. Pure.
std::string waiting_for_restart(const Settings& running, const Settings& loaded);

/// The text of default.toml: every key with its default, range and help. Pure.
std::string default_toml();

}  // namespace headway::config
