// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "storage/postgres/module.hpp"

namespace headway::server {

/// The path of the module with the PostgreSQL store, which is next to the program or in
/// ../lib/headway; empty if it is in neither place.
std::filesystem::path find_postgres_module();

/// Facts about a database, which the module collects without changing it. If `connect` is false,
/// the result has only the facts that the URL gives. Sets `module` to the module's path. Errors: as
/// in open_postgres().
core::Result<storage::PostgresFacts> probe_postgres(const storage::PostgresOpening& opening,
                                                    bool connect, std::filesystem::path& module);

/// Loads the module, for the rest of the process, and opens the store. Errors: kInvalidConfig if
/// there is no module of this version; else those of the store.
core::Result<std::unique_ptr<storage::Store>> open_postgres(
    const storage::PostgresOpening& opening);

}  // namespace headway::server
