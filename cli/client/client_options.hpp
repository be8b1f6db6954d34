// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "cli/client/credentials.hpp"

namespace headway::cli {

constexpr std::chrono::milliseconds kPoll{55'000};  ///< API.md: the default of `wait`
/// Time allowed in addition to `wait`, for a slow daemon.
constexpr std::chrono::milliseconds kAnswerGrace{10'000};
/// How long to retry: kFirstContact if the daemon was never reached, kReconnect if it was.
constexpr std::chrono::milliseconds kFirstContact{5'000};
constexpr std::chrono::milliseconds kReconnect{30'000};

/// The options shared by all verbs that use a daemon.
struct ClientOptions {
    std::string url;  ///< complete: from --url, HEADWAY_URL, the daemon's socket or the default
    std::string url_option = "--url";  ///< the option that sets `url`, as named in messages
    bool json = false;
    std::string token_file;  ///< --token-file
    std::string ca_file;     ///< --ca-file
    std::string state_dir;   ///< --state-dir: has the daemon's token and socket
    Credential credential;   ///< token found in these files or elsewhere
};

}  // namespace headway::cli
