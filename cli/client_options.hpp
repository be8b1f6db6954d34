// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/credentials.hpp"

namespace headway::cli {

/// Shared by the verbs that talk to a daemon.
struct ClientOptions {
    std::string url;  ///< complete; --url, HEADWAY_URL, the daemon's socket or the default
    bool json = false;
    std::string token_file;  ///< --token-file
    std::string ca_file;     ///< --ca-file
    std::string state_dir;   ///< --state-dir: of the daemon, where its token and socket are
    Credential credential;   ///< what was found there or elsewhere
};

}  // namespace headway::cli
