// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/result.hpp"

namespace headway::storage {

/// Error: kInvalidConfig if libpq does not understand the URL. The error does not quote the URL,
/// which may contain a password.
core::Result<> check_postgres_url(const std::string& url);

/// Parameters of libpq for one host, by key.
using PostgresHost = std::vector<std::pair<std::string, std::string>>;

/// The hosts that a URL names. Each entry has the parameters for one host, which replace the lists
/// in the URL. For a URL without lists, the result is one empty entry.
std::vector<PostgresHost> hosts_of(const std::string& url);

}  // namespace headway::storage
