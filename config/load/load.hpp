// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/settings/settings.hpp"
#include "core/base/result.hpp"

namespace headway::config {

/// Where settings come from; a value, so that SIGHUP can load the same sources again.
struct LoadRequest {
    std::optional<std::filesystem::path>
        file;  ///< --config; without it ./headway.toml, then the XDG and /etc places, if present
    std::map<std::string, std::string> flags;        ///< dotted key -> value, from the command line
    std::map<std::string, std::string> environment;  ///< a copy of the process environment
};

/// One key with its effective value and where it came from ("default", "file PATH:LINE", "env
/// NAME", "flag").
struct KeyOrigin {
    std::string key;
    std::string value;  ///< as a variable or the command line has it (config/values/value.hpp)
    std::string origin;
    std::string toml;      ///< the value as a file has it
    std::string toml_key;  ///< the key as a file has it
};

struct Loaded {
    Settings settings;
    std::vector<KeyOrigin> keys;                ///< every key, sorted
    std::optional<std::filesystem::path> file;  ///< the file that was read, if any
};

/// Merges flags > HEADWAY_* environment (HEADWAY_SERVER_LISTEN, ..., each also as *_FILE) > file >
/// defaults. Error: kInvalidConfig; `detail` holds every mistake at once, one a line, each with
/// file and line and, for an unknown key, the nearest known one; nothing is half-applied. Reads
/// files; pure otherwise. Any thread.
core::Result<Loaded> load(const LoadRequest& request);

/// Options of `headway serve`.
struct ServeOptions {
    LoadRequest sources;
    std::optional<std::filesystem::path>
        ports_file;  ///< written (atomically) when ready: {"http":"127.0.0.1:40123"}
};

/// The state directory of DESIGN 8 for these settings and this environment. Pure.
std::filesystem::path state_directory(const StorageSettings& settings,
                                      const std::map<std::string, std::string>& environment);

/// The URL of a store, with *** for its password. Pure.
std::string without_password(std::string_view url);

/// The Unix socket of the operator: below the state directory if it is relative; empty without one.
/// Pure.
std::filesystem::path operator_socket(const Settings& settings,
                                      const std::map<std::string, std::string>& environment);
/// The Unix socket that only reports. A relative one is below $RUNTIME_DIRECTORY, where systemd has
/// made one, because other users cannot enter the state directory of a service; else beside the
/// operator's. Empty without one. Pure.
std::filesystem::path report_socket(const Settings& settings,
                                    const std::map<std::string, std::string>& environment);

}  // namespace headway::config
