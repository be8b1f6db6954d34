// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// Where the daemon may be.

namespace headway::hook {

/// ::getenv, or what a test has in its place. Null for a variable that is not set.
using Environment = char* (*)(const char* name);

/// The text of a variable; empty if it is not set.
std::string variable(Environment environment, const char* name);

/// A socket to connect to, and what to ask there.
struct Place {
    std::string socket;        ///< the path of a Unix socket, or
    std::string host;          ///< a numeric address, without brackets
    unsigned short port = 80;  ///< of that
    std::string authority;     ///< for `Host`
    std::string prefix;        ///< of each path; empty, or begins with a slash
};

/// The default report sockets, in the order in which they are tried: of this user's daemon
/// (config::state_directory), of the service manager's, of the packaged service.
std::vector<std::string> default_sockets(Environment environment);

/// The state directory of this user's daemon, as config::state_directory finds it without settings;
/// empty: the environment names none.
std::string state_folder(Environment environment);

enum class UrlKind : unsigned char {
    kNumeric,    ///< http to a numeric address or localhost: `place` is set
    kSocket,     ///< unix:/path of a socket of the daemon: `place` is the report socket beside it
    kNeedsMore,  ///< https, or a name: not for this program
    kWrong,
};

/// Reads a URL of the daemon. Pure.
UrlKind read_url(std::string_view url, Place& place);

/// The place of a Unix socket. Pure.
Place at_socket(std::string path);

}  // namespace headway::hook
