// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
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
    std::optional<std::uint64_t> limit;  ///< none: 50; with `ids`, no limit, for scripts
    bool ids = false;                    ///< print only ids, one per line
    bool all = false;                    ///< one row for each run of a job
};

}  // namespace headway::cli
