// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/app.hpp"
#include "cli/base/console.hpp"
#include "config/load/load.hpp"

namespace headway::cli {

/// Does not fail without a daemon, so it looks for URL and token itself.
struct DoctorOptions {
    config::LoadRequest sources;
    std::vector<std::string> agents{};  ///< empty: the daemon
    std::string url;                    ///< empty: HEADWAY_URL, else where these settings listen
    std::string token_file;             ///< --token-file
    bool json = false;
    bool repair = false;  ///< saves what can be read of a damaged database
};

/// Prints what it finds; gives the exit code. `server` asks the judges, which only it can.
int run_doctor(const DoctorOptions& options, const Server& server, const Console& console);

}  // namespace headway::cli
