// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "cli/base/console.hpp"
#include "cli/client/client_options.hpp"

namespace headway::cli {

using std::chrono::milliseconds;

struct ReplayOptions {
    ClientOptions client;
    std::vector<std::string> files;
    bool to_daemon = false;           ///< send the recordings to a daemon; else judge them here
    bool why = false;                 ///< judging: print the evidence of each verdict
    std::vector<std::string> policy;  ///< judging: "balanced", "strict" or "key=value"
    std::string session;              ///< session id; empty: from the recording
    double speed = 0;                 ///< factor of the recorded speed; 0: as fast as possible
    std::size_t batch = 1;            ///< number of events in each report
    std::size_t parallel = 1;         ///< number of recordings at a time
    milliseconds connect_timeout{60'000};
};

/// `replay` without --to: prints the verdicts of each file, judged here. Returns the exit code.
int judge_recordings(const ReplayOptions& options, const Console& console);

}  // namespace headway::cli
