// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hook/way/ancestor.hpp"
#include "hook/way/options.hpp"
#include "hook/way/places.hpp"
#include "hook/way/turn_error.hpp"

namespace headway::hook {

/// Facts that the daemon gets in addition to the body. Empty texts are not sent.
struct Facts {
    std::string session;  ///< HEADWAY_SESSION
    std::string run_url;  ///< HEADWAY_URL; if it is the URL of another daemon, `session` is unknown
                          ///< to this one
    std::string exit_code;
    std::string use;
    std::string goal;  ///< the operator's goal (hook/goal/goal.hpp)
    TurnError error;
    std::string token;  ///< empty if the request goes to a Unix socket
    AgentProcess agent;
};

/// Finds the facts of this hook. `by_socket`: the request goes to a Unix socket and needs no token.
/// With --usage, `body` is replaced by use_body(). False if there is nothing to send. May wait, see
/// use_of().
bool find_facts(const Options& options, bool by_socket, Environment environment, std::string& body,
                Facts& facts);

/// Path of the request. With --require, the path makes the daemon reply with an error to a hook
/// that it does not understand. Pure.
std::string hook_path(const Options& options);

/// The facts as header fields, each as `Name: value`, without the token if `by_socket`. Values that
/// do not fit into a header are left out. Pure.
std::vector<std::string> fact_fields(const Options& options, const Facts& facts, bool by_socket);

/// The head of the request, up to its empty line. Values that do not fit into a header are left
/// out. Pure.
std::string request_head(const Options& options, const Place& place, const Facts& facts,
                         std::size_t body_bytes);

/// The token for a URL: from the token file, else from HEADWAY_TOKEN. The operator's token is never
/// sent, because a hook must not be able to do more than report.
std::string find_token(const Options& options, Environment environment);

}  // namespace headway::hook
