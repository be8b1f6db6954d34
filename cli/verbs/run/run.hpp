// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/client/client_options.hpp"
#include "cli/run/keep_going.hpp"

namespace headway::cli {

using std::chrono::milliseconds;

struct RunOptions {
    ClientOptions client;
    std::string session;  ///< session id; empty: made from the command's name
    std::string goal;
    std::vector<std::string> labels;  ///< "key=value"
    std::optional<milliseconds> interval;
    bool quiet = false;
    bool no_lines = false;        ///< treat lines of agents as ordinary output
    milliseconds linger{10'000};  ///< how long events may still be delivered after the command has
                                  ///< exited
    bool keep_going = false;      ///< start the agent again in the same conversation
    bool no_keep_going = false;   ///< never start the agent again, even if the settings would
    /// Values given on the command line; a value that is not set comes from the settings.
    std::optional<std::uint64_t> max_resumes{};
    std::optional<milliseconds> until{};
    std::optional<milliseconds> margin{};
    KeepGoingOptions keeping{};
    std::vector<std::string> command;
};

/// Name of the command's program.
std::string base_name(const RunOptions& options);
/// The goal of the run's session: the given one, else the command line. Bounded.
std::string goal_of(const RunOptions& options);
/// Body of the request that opens the session. Error: kInvalidField for a label that is not
/// "key=value".
core::Result<Json> open_body(const RunOptions& options);

}  // namespace headway::cli
