// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.hpp"

// The paths of pings, which are those of healthchecks.io, behind `/ping/`: an id and what is said
// of it, and the token in front where one is needed.

namespace headway::server {

inline constexpr std::string_view kPingPrefix = "/ping/";

struct PingPath {
    std::string key;     ///< a token, or empty
    std::string id;      ///< of the job, not checked
    std::string action;  ///< "start", "fail", "log", an exit status in digits, or empty: it is done
};

/// Parses what stands behind kPingPrefix. Whatever looks like a token is one, so that none becomes
/// the name of a session. Errors: kUnknownRoute, kUnauthorized for a token that was cut. Pure.
core::Result<PingPath> parse_ping_path(std::string_view rest);

/// True for what no person chooses as the name of a job. Pure.
bool looks_like_token(std::string_view segment);

/// The path as it is shown and logged: without a token, wherever it stands. Pure.
std::string path_without_key(std::string_view path);

}  // namespace headway::server
