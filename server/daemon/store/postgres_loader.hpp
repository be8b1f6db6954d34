// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "storage/postgres/module.hpp"

namespace headway::server {

/// Where the module with the PostgreSQL store is: beside the program, or below it in
/// ../lib/headway; empty if it is in neither.
std::filesystem::path find_postgres_module();

/// Facts about a database that the module finds out without changing it; from its URL alone, unless
/// `connect`. `module` becomes its path. Errors as open_postgres().
core::Result<storage::PostgresFacts> probe_postgres(const storage::PostgresOpening& opening,
                                                    bool connect, std::filesystem::path& module);

/// Loads the module, for the rest of the process, and opens the store. Errors: kInvalidConfig
/// without a module of this version, else those of the store.
core::Result<std::unique_ptr<storage::Store>> open_postgres(
    const storage::PostgresOpening& opening);

}  // namespace headway::server
