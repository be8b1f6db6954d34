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

/// The sources of settings. SIGHUP loads the same sources again.
struct LoadRequest {
    std::optional<std::filesystem::path>
        file;  ///< file named by --config; if not set: the file of HEADWAY_CONFIG, else a file in
               ///< the XDG folders or /etc, if there is one. If no file is named, another
               ///< ./headway.toml is a mistake
    std::map<std::string, std::string> flags;        ///< dotted key -> value, from the command line
    std::map<std::string, std::string> environment;  ///< a copy of the process environment
};

/// One key with its effective value and that value's origin ("default", "file PATH:LINE", "env
/// NAME", "flag").
struct KeyOrigin {
    std::string key;
    std::string value;  ///< as written in a variable or on the command line (Value::text())
    std::string origin;
    std::string toml;      ///< the value as written in a file
    std::string toml_key;  ///< the key as written in a file
};

struct Loaded {
    Settings settings;
    std::vector<KeyOrigin> keys;                ///< every key, sorted
    std::optional<std::filesystem::path> file;  ///< the file that was read, if any
};

/// Merges the sources. Flags take precedence over HEADWAY_* variables, variables over the file, and
/// the file over the defaults. A variable such as HEADWAY_SERVER_LISTEN holds a value;
/// HEADWAY_SERVER_LISTEN_FILE names a file that holds it. Error: kInvalidConfig, and no setting is
/// applied. The error's `detail` has every mistake, one on each line, with file and line and, for
/// an unknown key, the most similar known key. Reads files; otherwise pure. Any thread.
core::Result<Loaded> load(const LoadRequest& request);

/// [keep_going] of the user's own file: HEADWAY_CONFIG, else the file in the XDG folders or /etc,
/// if this user can read it; HEADWAY_* variables override it. A headway.toml in the working folder
/// is never read, because an agent can write it; nor is a relative HEADWAY_CONFIG, which may name
/// it. Other sections are not checked. Error: kInvalidConfig, with every mistake. Reads files.
core::Result<KeepGoingSettings> load_keep_going(
    const std::map<std::string, std::string>& environment);

/// Options of `headway serve`.
struct ServeOptions {
    LoadRequest sources;
    std::optional<std::filesystem::path>
        ports_file;  ///< file written (atomically) when the daemon is ready:
                     ///< {"http":"127.0.0.1:40123"}
};

/// The state directory for these settings and this environment (StorageSettings::state_dir), as an
/// absolute path.
std::filesystem::path state_directory(const StorageSettings& settings,
                                      const std::map<std::string, std::string>& environment);

/// The URL of a store, with its password replaced by ***. Pure.
std::string without_password(std::string_view url);

/// The path of the operator's Unix socket. A relative path is in the state directory. Empty if none
/// is set. Pure.
std::filesystem::path operator_socket(const Settings& settings,
                                      const std::map<std::string, std::string>& environment);
/// The path of the Unix socket for reports only. A relative path is in $RUNTIME_DIRECTORY if
/// systemd has made that folder, because other users cannot enter the state directory of a service;
/// else in the state directory. Empty if none is set. Pure.
std::filesystem::path report_socket(const Settings& settings,
                                    const std::map<std::string, std::string>& environment);

}  // namespace headway::config
