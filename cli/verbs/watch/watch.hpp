// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/client/client_options.hpp"

namespace headway::cli {

using std::chrono::milliseconds;

struct WatchOptions {
    ClientOptions client;
    std::string session;  ///< the session to watch; empty: all sessions
    bool follow = false;
    std::optional<std::uint64_t> after;  ///< the event after which to start; only with one session
    milliseconds open_within{60'000};    ///< how long to wait for the session to open; 0: no limit
    milliseconds connect_timeout{600'000};
};

}  // namespace headway::cli
