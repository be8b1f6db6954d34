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

/// Facts that the daemon gets besides the body. Empty texts are left out.
struct Facts {
    std::string session;  ///< HEADWAY_SESSION
    std::string exit_code;
    std::string use;
    std::string goal;  ///< of the operator (hook/goal/goal.hpp)
    TurnError error;
    std::string token;  ///< not for a socket
    AgentProcess agent;
};

/// The facts of this hook. `by_socket`: the daemon is there, and gets no token. With --usage `body`
/// becomes one that names the session only. False: there is nothing to send. May wait, see
/// use_of().
bool find_facts(const Options& options, bool by_socket, Environment environment, std::string& body,
                Facts& facts);

/// Path of the request. With --require what it does not understand is an error; without, it lets
/// the call run. Pure.
std::string hook_path(const Options& options);

/// The facts as fields of a head, `Name: value` each; a socket gets no token. Values that do not
/// fit a header are left out. Pure.
std::vector<std::string> fact_fields(const Options& options, const Facts& facts, bool by_socket);

/// The head of the request, up to its empty line. Values that do not fit a header are left out.
/// Pure.
std::string request_head(const Options& options, const Place& place, const Facts& facts,
                         std::size_t body_bytes);

/// The token for a URL: of the file, else of HEADWAY_TOKEN. The operator's is never sent: a hook
/// must not be able to do more than report.
std::string find_token(const Options& options, Environment environment);

}  // namespace headway::hook
