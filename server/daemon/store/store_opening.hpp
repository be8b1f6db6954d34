// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spdlog/logger.h>

#include <filesystem>
#include <memory>
#include <string>

#include "config/settings/settings.hpp"
#include "server/time/clock.hpp"
#include "storage/postgres/module.hpp"
#include "storage/store/store.hpp"

namespace headway::server {

/// Opens this daemon's own database, and logs each step and finding. Errors: as in
/// SqliteStore::open and check_log_has_database().
core::Result<std::unique_ptr<storage::Store>> open_sqlite_store(
    const std::filesystem::path& database, spdlog::logger& log);

/// Opens the shared store that `storage.store` names. `clock` must outlive the store. Errors: as in
/// open_postgres().
core::Result<std::unique_ptr<storage::Store>> open_shared_store(const config::Settings& settings,
                                                                const Clock& clock);

struct StoreProbe {
    std::filesystem::path module;
    storage::PostgresFacts facts;
    core::Millis clock_ahead{};  ///< the database's clock minus this machine's
};

/// Probes a store without changing it; if `connect` is false, checks only its URL. Errors: as in
/// open_postgres().
core::Result<StoreProbe> probe_store(const std::string& url, bool connect);

}  // namespace headway::server
