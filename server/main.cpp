// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>

#include "cli/app.hpp"
#include "server/backups/backup_check.hpp"
#include "server/daemon/app.hpp"
#include "server/daemon/store/store_migration.hpp"
#include "server/daemon/store/store_opening.hpp"
#include "server/http/message/endpoint.hpp"
#include "server/outbound/judge/judge_probe.hpp"
#include "server/outbound/webhooks/webhook_transfer.hpp"
#include "server/web/web_pages.hpp"
#include "storage/damage/offline.hpp"
#include "storage/damage/repair.hpp"
#include "storage/sql/sqlite_handle.hpp"
#include "storage/sqlite/schema.hpp"

namespace {

using namespace headway;
using core::Result;

Result<cli::CopyReport> back_up(const std::string& database, const std::string& file) {
    HEADWAY_TRY(const storage::DatabaseCounts made, server::backup_offline(database, file));
    return cli::CopyReport{made.bytes, made.sessions,          made.events,
                           {},         made.damaged_snapshots, made.damaged_sessions};
}

Result<cli::CopyReport> restore(const std::string& database, const std::string& file) {
    HEADWAY_TRY(const storage::Restored made, storage::restore_database(file, database));
    return cli::CopyReport{
        made.counts.bytes,      made.counts.sessions,          made.counts.events,
        made.replaced.string(), made.counts.damaged_snapshots, made.counts.damaged_sessions};
}

Result<cli::RepairReport> repair(const std::string& database) {
    HEADWAY_TRY(const storage::Repair made, storage::repair_database(database));
    const std::uint64_t unread = made.unread_rows + made.unread_places;
    return cli::RepairReport{
        made.damaged.string(), made.sessions, made.events, made.cut, made.lost, unread,
        made.renamed};
}

int serve(const config::ServeOptions& options) {
    return server::serve(options);
}

Result<std::string> probe_webhook(const config::WebhookEndpoint& endpoint) {
    return server::try_connection({endpoint, [](bool, const std::string&) {}});
}

Result<cli::MigrateReport> migrate(const cli::MigrateRequest& request) {
    HEADWAY_TRY(const server::Migrated made,
                server::migrate_store(
                    {request.database, request.store, request.answer_timeout, request.progress}));
    return cli::MigrateReport{made.sessions, made.open_sessions,    made.events,  made.approvals,
                              made.tokens,   made.webhook_messages, made.copying, made.checking};
}

Result<cli::StoreReport> probe_store(const std::string& url, bool connect) {
    HEADWAY_TRY(server::StoreProbe found, server::probe_store(url, connect));
    storage::PostgresFacts& facts = found.facts;
    cli::StoreReport report;
    report.module = found.module.string();
    report.connected = facts.connected;
    report.host = std::move(facts.host);
    report.tls = std::move(facts.tls);
    report.version = std::move(facts.version);
    report.user = std::move(facts.user);
    report.schema = std::move(facts.schema);
    report.may_create = facts.may_create;
    report.may_write = facts.may_write;
    report.tables = facts.tables;
    report.tables_known = facts.tables_known;
    report.importing = facts.importing;
    report.no_fsync = facts.no_fsync;
    report.standbys = std::move(facts.standbys);
    report.clock_ahead = found.clock_ahead;
    return report;
}

}  // namespace

int main(int argc, char** argv) try {
    return cli::run(argc, argv,
                    {serve, server::probe_judge, storage::kSchemaVersion, back_up, restore, repair,
                     storage::sqlite_version(), probe_webhook, server::route_table_document,
                     server::openapi_document, migrate, probe_store});
} catch (const std::exception& e) {
    std::fprintf(stderr, "headway: %s\n", e.what());
    return 1;
}
