// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// Addresses at which the daemon may listen.

namespace headway::hook {

/// ::getenv, or a test's replacement. Null for a variable that is not set.
using Environment = char* (*)(const char* name);

/// The text of a variable; empty if it is not set.
std::string variable(Environment environment, const char* name);

/// A socket to connect to, and parts of the request.
struct Place {
    std::string socket;        ///< path of a Unix socket; if empty, `host` and `port` are used
    std::string host;          ///< a numeric address, without brackets
    unsigned short port = 80;  ///< port of `host`
    std::string authority;     ///< value of `Host`
    std::string prefix;        ///< prefix of each path; empty, or begins with a slash
};

/// The default report sockets, in the order in which they are tried: first in this user's state
/// directory (config::state_directory), then in the runtime directories of the service manager,
/// then the socket of the packaged service.
std::vector<std::string> default_sockets(Environment environment);

/// The state directory of this user's daemon, as config::state_directory() finds it without
/// settings; empty if the environment names none.
std::string state_folder(Environment environment);

enum class UrlKind : unsigned char {
    kNumeric,    ///< http with a numeric address or localhost: `place` is set
    kSocket,     ///< unix:/path of a daemon's socket: `place` is the report socket in the same
                 ///< folder
    kNeedsMore,  ///< https or a host name, to which this program cannot connect
    kWrong,
};

/// Reads a URL of the daemon. Changes only `place`.
UrlKind read_url(std::string_view url, Place& place);

/// The place of a Unix socket. Pure.
Place at_socket(std::string path);

}  // namespace headway::hook
