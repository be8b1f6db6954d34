// SPDX-License-Identifier: Apache-2.0
#include "server/daemon/store/store_opening.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <string>

#include "core/base/version.hpp"
#include "server/daemon/store/postgres_loader.hpp"
#include "server/tokens/session_id.hpp"
#include "storage/files/log_check.hpp"
#include "storage/sqlite/sqlite_store.hpp"

namespace headway::server {

using core::Result;
using namespace std::chrono_literals;

constexpr auto kProgressEvery = 2s;  ///< progress lines of a slow start

Result<std::unique_ptr<storage::Store>> open_sqlite_store(const std::filesystem::path& database,
                                                          spdlog::logger& log) {
    HEADWAY_CHECK(storage::check_log_has_database(database));
    HEADWAY_TRY(const auto damage, storage::keep_log_if_damaged(database));
    if (damage) {
        log.error(
            "the log of the database is damaged from frame {} on: {} commits of acknowledged "
            "reports behind it cannot be read; a copy of it is kept as {}",
            damage->frame, damage->lost_commits, damage->kept.string());
    }
    HEADWAY_TRY(auto store, storage::SqliteStore::open(database));
    store->show_progress(
        [&log, shown = Clock::steady()](std::size_t done, std::size_t total) mutable {
            if (Clock::steady() - shown < kProgressEvery) return;
            shown = Clock::steady();
            log.info("making the index of sessions, once: {} of {}", done, total);
        });
    return std::unique_ptr<storage::Store>{std::move(store)};
}

Result<std::unique_ptr<storage::Store>> open_shared_store(const config::Settings& settings,
                                                          const Clock& clock) {
    storage::PostgresOpening opening;
    opening.url = settings.storage.store;
    opening.id = new_session_id(clock.now());
    opening.name = settings.storage.daemon_name;
    if (opening.name.empty()) {
        std::array<char, 256> host{};
        (void)::gethostname(host.data(), host.size() - 1);
        opening.name = std::string{host.data()} + " " + settings.server.listen;
    }
    opening.version = core::version().version;
    opening.answer_timeout = settings.storage.store_timeout;
    if (Clock::artificial()) opening.now = [&clock] { return clock.now(); };
    return open_postgres(opening);
}

Result<StoreProbe> probe_store(const std::string& url, bool connect) {
    storage::PostgresOpening opening;
    opening.url = url;
    StoreProbe probe;
    HEADWAY_TRY(probe.facts, probe_postgres(opening, connect, probe.module));
    // The answer has just come.
    if (probe.facts.connected) probe.clock_ahead = probe.facts.now - Clock::wall();
    return probe;
}

}  // namespace headway::server
