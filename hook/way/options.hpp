// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hook/way/places.hpp"

namespace headway::hook {

/// Options from the arguments, then the environment.
struct Options {
    std::string agent;
    std::string socket;         ///< --socket, else HEADWAY_HOOK_SOCKET
    std::string url;            ///< --url, else HEADWAY_URL
    std::string token_file;     ///< --token-file, else HEADWAY_TOKEN_FILE
    std::string agent_version;  ///< --agent-version
    std::string until;          ///< --until: the operator's goal; empty: none
    bool require = false;       ///< --require: without the daemon the call must not run
    bool usage = false;         ///< --usage: tells what was used, and nothing else
    int silence_ms = 15'000;    ///< --silence: after this long without a byte the daemon is away
    bool help = false;
    bool version = false;
    std::string mistake;  ///< a sentence about the arguments; empty: none
};

/// Reads the arguments behind the program's name. `--socket` and `--url` each replace both of their
/// variables. Pure, except for the environment.
Options read_options(const std::vector<std::string_view>& arguments, Environment environment);

/// Milliseconds in a text such as "500ms" or "15s", 1ms to 1h. Pure.
std::optional<int> read_milliseconds(std::string_view text) noexcept;

/// Text of --help.
std::string_view help_text() noexcept;

}  // namespace headway::hook
