// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/result.hpp"

namespace headway::storage {

/// Error kInvalidConfig for a URL that libpq does not understand, without what it holds.
core::Result<> check_postgres_url(const std::string& url);

/// Parameters of libpq for one host, by key.
using PostgresHost = std::vector<std::pair<std::string, std::string>>;

/// The hosts that a URL names, each as what takes the place of the URL's lists; one that says
/// nothing where there are not several.
std::vector<PostgresHost> hosts_of(const std::string& url);

}  // namespace headway::storage
