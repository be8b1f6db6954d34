// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/client/client_options.hpp"

namespace headway::cli {

using std::chrono::milliseconds;

struct CheckOptions {
    ClientOptions client;
    std::string session;
    std::string id;  ///< id of the check; empty: the daemon chooses one
    bool wait = false;
    std::optional<milliseconds> timeout;  ///< limit of the wait; none: no limit
};

}  // namespace headway::cli
