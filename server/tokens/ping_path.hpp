// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.hpp"

// The paths of pings, after `/ping/`, in the format of healthchecks.io: an id and an action,
// preceded by a token if one is needed.

namespace headway::server {

inline constexpr std::string_view kPingPrefix = "/ping/";

struct PingPath {
    std::string key;     ///< a token, or empty
    std::string id;      ///< the job's id, not checked
    std::string action;  ///< "start", "fail", "log", an exit status in digits, or empty: success
};

/// Parses the path after kPingPrefix. A text that looks like a token is taken as one, so that no
/// token becomes a session's name. Errors: kUnknownRoute, kUnauthorized for a truncated token.
/// Pure.
core::Result<PingPath> parse_ping_path(std::string_view rest);

/// True for a token-like text, which no person chooses as the name of a job. Pure.
bool looks_like_token(std::string_view segment);

/// The path for replies and logs: without a token at any place. Pure.
std::string path_without_key(std::string_view path);

}  // namespace headway::server
