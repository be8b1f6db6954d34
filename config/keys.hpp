// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.hpp"
#include "core/result.hpp"

// The one table of configuration keys. Parsing, ranges, printing, help, default.toml and `headway
// config show` all come from it; to add a key, add its member to settings.hpp and its row to
// keys.cpp.

namespace headway::config {

enum class Kind : std::uint8_t { kText, kTextList, kCount, kDuration, kNumber };

struct Key {
    std::string name;  ///< "server.listen"
    Kind kind{};
    std::string range;  ///< what is allowed, for people: "16..100000", "json | text"; may be empty
    bool reloadable = false;  ///< takes effect on SIGHUP; the others need a restart
    std::string help;         ///< one sentence

    /// Parses, checks and stores one value; lists are comma separated. Error: kInvalidConfig,
    /// nothing stored.
    core::Result<> (*assign)(Settings& settings, std::string_view text) = nullptr;
    /// The value in the form that `assign` reads.
    std::string (*print)(const Settings& settings) = nullptr;
};

/// Every key, in the order of settings.hpp. Any thread.
const std::vector<Key>& keys();

/// The key of that dotted name, or null. Any thread.
const Key* find_key(std::string_view name);

/// The names of all keys, for suggestions. Views into keys(). Any thread.
std::vector<std::string_view> key_names();

/// "server.listen" -> "HEADWAY_SERVER_LISTEN". Pure.
std::string environment_name(std::string_view key);

/// One value as TOML would write it: quoted, bare or a list. Pure.
std::string toml_literal(const Key& key, const Settings& settings);

/// The names of the keys that differ and are not reloadable, separated by commas; or empty. Pure.
std::string waiting_for_restart(const Settings& running, const Settings& loaded);

/// The text of default.toml: every key with its default, range and help. Pure.
std::string default_toml();

}  // namespace headway::config
