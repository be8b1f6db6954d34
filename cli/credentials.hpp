#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace headway::cli {

/// The token that a verb shows to the daemon.
struct Credential {
    std::string token;   ///< empty: none
    bool found = false;  ///< nobody named it: it is the operator's of the default state directory
};

/// Looks for a token: the file of --token-file (`flag`), HEADWAY_TOKEN, the file of
/// HEADWAY_TOKEN_FILE, and for a daemon on loopback operator.token in the default state directory
/// when we may read it. Error: kInvalidParameter for a file that was named and has none. Reads
/// files.
core::Result<Credential> find_credential(std::string_view flag, std::string_view url,
                                         const std::map<std::string, std::string>& environment);

/// Whether the daemon at `url` is on this machine by its address: 127.0.0.0/8, [::1] or localhost.
/// Pure.
bool is_loopback(std::string_view url);

}  // namespace headway::cli
