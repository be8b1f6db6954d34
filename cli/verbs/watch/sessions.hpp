// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/client/client_options.hpp"

namespace headway::cli {

struct SessionsOptions {
    ClientOptions client;
    std::string verdict;
    std::string label;
    std::string agent;
    std::optional<bool> open;
    std::size_t limit = 50;
    bool ids = false;  ///< print only ids, one per line
    bool all = false;  ///< one row for each run of a job
};

}  // namespace headway::cli
