// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.hpp"

// The paths of pings after `/ping/`, in the format of healthchecks.io: a token if one is needed,
// then an id and an action.

namespace headway::server {

inline constexpr std::string_view kPingPrefix = "/ping/";

struct PingPath {
    std::string key;     ///< a token, or empty
    std::string id;      ///< the job's id, not checked
    std::string action;  ///< "start", "fail", "log" or an exit status in digits; empty: success
};

/// Parses the path after kPingPrefix. A text that looks like a token is taken as a token, so that
/// no token becomes the name of a session. Errors: kUnknownRoute, kUnauthorized for a truncated
/// token. Pure.
core::Result<PingPath> parse_ping_path(std::string_view rest);

/// True for a text that looks like a token; people do not choose such texts as names of jobs. Pure.
bool looks_like_token(std::string_view segment);

/// The path without its tokens, wherever they are in it; for replies and logs. Pure.
std::string path_without_key(std::string_view path);

}  // namespace headway::server
