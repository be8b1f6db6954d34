// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/result.hpp"

namespace headway::storage {

/// Error: kInvalidConfig, which does not quote the URL, if libpq does not understand it.
core::Result<> check_postgres_url(const std::string& url);

/// Parameters of libpq for one host, by key.
using PostgresHost = std::vector<std::pair<std::string, std::string>>;

/// The hosts that a URL names, each with the values that replace the URL's lists. A URL without
/// lists gives one entry without values.
std::vector<PostgresHost> hosts_of(const std::string& url);

}  // namespace headway::storage
