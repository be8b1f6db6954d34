// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hook/way/places.hpp"

namespace headway::hook {

/// The options. Each comes from the arguments, else from the environment.
struct Options {
    std::string agent;
    std::string socket;         ///< --socket, else HEADWAY_HOOK_SOCKET
    std::string url;            ///< --url, else HEADWAY_URL
    std::string token_file;     ///< --token-file, else HEADWAY_TOKEN_FILE
    std::string agent_version;  ///< --agent-version
    std::string until;          ///< --until: the operator's goal; empty: no goal
    bool require = false;       ///< --require: if the daemon is unreachable, the call must not run
    bool usage = false;         ///< --usage: reports only token usage
    int silence_ms = 15'000;    ///< --silence: longest time without a byte from the daemon
    bool help = false;
    bool version = false;
    std::string mistake;  ///< a sentence about wrong arguments; empty if all are right
};

/// Reads the arguments after the program's name. `--socket` and `--url` each replace both
/// HEADWAY_HOOK_SOCKET and HEADWAY_URL. Pure, except for the environment.
Options read_options(const std::vector<std::string_view>& arguments, Environment environment);

/// Reads a text such as "500ms" or "15s", from 1ms to 1h, as milliseconds; nothing for any other
/// text. Pure.
std::optional<int> read_milliseconds(std::string_view text) noexcept;

/// Text of --help.
std::string_view help_text() noexcept;

}  // namespace headway::hook
