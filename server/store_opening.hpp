// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spdlog/logger.h>

#include <filesystem>
#include <memory>

#include "config/settings.hpp"
#include "server/clock.hpp"
#include "storage/store.hpp"

namespace headway::server {

/// Opens this daemon's own database; logs what it finds and does on the way. Errors: as
/// SqliteStore::open, and those of a log without its database.
core::Result<std::unique_ptr<storage::Store>> open_sqlite_store(
    const std::filesystem::path& database, spdlog::logger& log);

/// Opens the store that `storage.store` names, for one of several daemons. `clock` outlives it.
/// Errors: as open_postgres().
core::Result<std::unique_ptr<storage::Store>> open_shared_store(const config::Settings& settings,
                                                                const Clock& clock);

}  // namespace headway::server
