// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/app.hpp"
#include "cli/base/console.hpp"
#include "config/load/load.hpp"

namespace headway::cli {

/// `headway doctor` must work without a daemon, so it finds URL and token itself.
struct DoctorOptions {
    config::LoadRequest sources;
    std::vector<std::string> agents{};  ///< agents to examine; empty: examine the daemon
    std::string url;  ///< the daemon's URL; empty: HEADWAY_URL, else the address in `sources`
    std::string token_file;  ///< --token-file
    bool json = false;
    bool repair = false;  ///< saves the readable part of a damaged database
};

/// Prints the findings; returns the exit code. `server` is needed to probe the judges.
int run_doctor(const DoctorOptions& options, const Server& server, const Console& console);

}  // namespace headway::cli
