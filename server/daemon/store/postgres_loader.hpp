// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "storage/postgres/module.hpp"

namespace headway::server {

/// The path of the module with the PostgreSQL store: next to the program, or in ../lib/headway;
/// empty if in neither.
std::filesystem::path find_postgres_module();

/// Facts about a database that the module reads without changing it; only from the URL, unless
/// `connect`. Sets `module` to the module's path. Errors as in open_postgres().
core::Result<storage::PostgresFacts> probe_postgres(const storage::PostgresOpening& opening,
                                                    bool connect, std::filesystem::path& module);

/// Loads the module, for the rest of the process, and opens the store. Errors: kInvalidConfig
/// without a module of this version, else errors of the store.
core::Result<std::unique_ptr<storage::Store>> open_postgres(
    const storage::PostgresOpening& opening);

}  // namespace headway::server
