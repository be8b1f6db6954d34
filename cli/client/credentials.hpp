// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace headway::cli {

/// The token that a verb shows to the daemon, and how it knows the daemon.
struct Credential {
    std::string token;        ///< empty: none
    bool found = false;       ///< not named: it is the operator's of the default state directory
    std::string ca_file{};    ///< PEM file of certificates to trust over https; empty: the system's
    std::string looked_in{};  ///< the operator's token was looked for there; empty: it was not
    uid_t owner = 0;          ///< of that file: one that was found goes to this user's daemon only
    bool owner_only = false;  ///< the daemon was not named either: nothing goes to another user's
};

/// Looks for a token: the file of --token-file (`flag`), HEADWAY_TOKEN, the file of
/// HEADWAY_TOKEN_FILE, and for a daemon on loopback operator.token in the default state directory
/// when we may read it. Error: kInvalidParameter for a file that was named and has none. Reads
/// files.
core::Result<Credential> find_credential(std::string_view flag, std::string_view url,
                                         const std::map<std::string, std::string>& environment);

/// The file of --ca-file (`flag`), else of HEADWAY_CA_FILE; empty: neither is named. Error:
/// kInvalidParameter when it cannot be read. Reads the file.
core::Result<std::string> find_ca_file(std::string_view flag,
                                       const std::map<std::string, std::string>& environment);

/// "unix:<path>" of the socket in the default state directory, when a daemon listens there; else
/// empty. Connects to it.
std::string find_socket_url(const std::map<std::string, std::string>& environment);

/// The path in "unix:/path"; empty for any other URL. Pure.
std::string socket_of(std::string_view url);

/// Whether the daemon at `url` is on this machine by its address: 127.0.0.0/8, [::1] or localhost.
/// Pure.
bool is_loopback(std::string_view url);

}  // namespace headway::cli
