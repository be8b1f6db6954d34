// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "hook/ancestor.hpp"
#include "hook/options.hpp"
#include "hook/places.hpp"

namespace headway::hook {

/// What the daemon gets besides the body. Empty texts are left out.
struct Facts {
    std::string session;  ///< HEADWAY_SESSION
    std::string exit_code;
    std::string use;
    std::string token;  ///< not for a socket
    AgentProcess agent;
};

/// The head of the request, up to its empty line. What does not fit a header is left out. Pure.
std::string request_head(const Options& options, const Place& place, const Facts& facts,
                         std::size_t body_bytes);

/// The token for a URL: of the file, else of HEADWAY_TOKEN. The operator's is never sent: a hook
/// must not be able to do more than report.
std::string find_token(const Options& options, Environment environment);

}  // namespace headway::hook
