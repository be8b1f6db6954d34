// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/client/client_options.hpp"

namespace headway::cli {

using std::chrono::milliseconds;

enum class OnStuck : std::uint8_t {
    kAsk,     ///< ask the person at the terminal; like kFail if there is no terminal
    kFail,    ///< a stuck session ends the wait
    kIgnore,  ///< keep waiting
};

struct WaitOptions {
    ClientOptions client;
    std::vector<std::string> sessions;
    bool any = false;  ///< one of several sessions is enough
    std::string until = "settled";
    std::uint64_t after = 0;
    std::string mode = "now";
    std::optional<milliseconds> timeout;  ///< time limit of the wait; none: no limit
    OnStuck on_stuck = OnStuck::kAsk;
    bool missing_waits = true;               ///< wait for a session that is not open yet
    milliseconds open_within{60'000};        ///< how long to wait for that session; 0: no limit
    std::optional<milliseconds> silent_for;  ///< silence after which the wait gives a session up;
                                             ///< 0: never; none: the daemon's default
    std::string junit;  ///< file for a CI report; "-": standard output; empty: no report
    std::optional<milliseconds> connect_timeout;  ///< how long an unreachable daemon is retried
};

}  // namespace headway::cli
