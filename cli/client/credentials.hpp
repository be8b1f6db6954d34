// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace headway::cli {

/// The token that a verb sends to the daemon, and how the verb identifies the daemon.
struct Credential {
    std::string token;   ///< token to send; empty: none
    bool found = false;  ///< `token` is the operator's: found in the default state directory, not
                         ///< named by the user
    std::string ca_file{};    ///< PEM file of certificates to trust over https; empty: the system's
    std::string looked_in{};  ///< file searched for the operator's token; empty: none
    uid_t owner = 0;          ///< owner of that file: a found token is sent only to a daemon of
                              ///< this user
    bool owner_only = false;  ///< the user named neither token nor daemon, so nothing is sent to a
                              ///< daemon of another user
};

/// Looks for a token in these places, in this order: the file of --token-file (`flag`),
/// HEADWAY_TOKEN, the file of HEADWAY_TOKEN_FILE and, for a daemon on loopback, a readable
/// operator.token in the default state directory. Error: kInvalidParameter if one of the first
/// three has no valid token. Reads files.
core::Result<Credential> find_credential(std::string_view flag, std::string_view url,
                                         const std::map<std::string, std::string>& environment);

/// The file of --ca-file (`flag`), else of HEADWAY_CA_FILE; empty: neither is named. Error:
/// kInvalidParameter if the file cannot be read. Reads the file.
core::Result<std::string> find_ca_file(std::string_view flag,
                                       const std::map<std::string, std::string>& environment);

/// "unix:<path>" of the socket in the default state directory if a daemon listens there, else
/// empty. Connects to the socket.
std::string find_socket_url(const std::map<std::string, std::string>& environment);

/// The path in "unix:/path"; empty for any other URL. Pure.
std::string socket_of(std::string_view url);

/// True if the address in `url` is on this machine: 127.0.0.0/8, [::1] or localhost. Pure.
bool is_loopback(std::string_view url);

}  // namespace headway::cli
