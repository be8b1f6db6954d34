// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>

#include "cli/app.hpp"
#include "server/access/operator_token.hpp"
#include "server/backups/backup_check.hpp"
#include "server/daemon/app.hpp"
#include "server/daemon/store/store_migration.hpp"
#include "server/daemon/store/store_opening.hpp"
#include "server/http/connection/listeners.hpp"
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

cli::CopyReport report_of(const storage::DatabaseCounts& counts) {
    cli::CopyReport report;
    report.bytes = counts.bytes;
    report.sessions = counts.sessions;
    report.events = counts.events;
    report.damaged_snapshots = counts.damaged_snapshots;
    report.damaged_sessions = counts.damaged_sessions;
    return report;
}

Result<cli::CopyReport> back_up(const std::string& database, const std::string& file) {
    HEADWAY_TRY(const server::OfflineBackup backup, server::backup_offline(database, file));
    cli::CopyReport report = report_of(backup.counts);
    if (backup.damage) {
        report.lost_commits = backup.damage->lost_commits;
        report.damaged_log = backup.damage->kept.string();
    }
    return report;
}

Result<cli::CopyReport> restore(const std::string& database, const std::string& file) {
    HEADWAY_TRY(const storage::Restored restored, storage::restore_database(file, database));
    cli::CopyReport report = report_of(restored.counts);
    report.replaced = restored.replaced.string();
    return report;
}

Result<cli::RepairReport> repair(const std::string& database) {
    HEADWAY_TRY(const storage::Repair repaired, storage::repair_database(database));
    const std::uint64_t unread = repaired.unread_rows + repaired.unread_places;
    return cli::RepairReport{repaired.damaged.string(),
                             repaired.sessions,
                             repaired.events,
                             repaired.cut,
                             repaired.lost,
                             unread,
                             repaired.renamed};
}

int serve(const config::ServeOptions& options) {
    return server::serve(options);
}

Result<std::string> probe_webhook(const config::WebhookEndpoint& endpoint) {
    return server::try_connection({endpoint, [](bool, const std::string&) {}});
}

Result<cli::MigrateReport> migrate(const cli::MigrateRequest& request) {
    HEADWAY_TRY(const server::Migrated migrated,
                server::migrate_store(
                    {request.database, request.store, request.answer_timeout, request.progress}));
    return cli::MigrateReport{migrated.sessions,  migrated.open_sessions, migrated.events,
                              migrated.approvals, migrated.tokens,        migrated.webhook_messages,
                              migrated.copying,   migrated.checking};
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

/// Why messages to webhooks could not be sent, one line for each.
std::string faults_of(const config::WebhookSettings& webhooks) {
    std::string faults;
    for (const config::WebhookEndpoint& endpoint : webhooks.endpoints) {
        const server::WebhookTarget target{endpoint, [](bool, const std::string&) {}};
        if (target.problem().empty()) continue;
        faults += (faults.empty() ? "" : "\n") + ("webhooks.endpoints." + endpoint.name) + ": " +
                  target.problem();
    }
    return faults;
}

/// Finds the faults of settings at which a daemon does not start, or has no use of a webhook,
/// without its side effects.
Result<> check_settings(const config::Settings& settings,
                        const std::map<std::string, std::string>& environment) {
    HEADWAY_CHECK(server::check_listeners(settings, environment));
    if (!settings.access.secret_file.empty())
        HEADWAY_CHECK(server::read_shared_secret(settings.access.secret_file));
    std::string faults = faults_of(settings.webhooks);
    if (faults.empty()) return {};
    return core::Error{core::ErrorCode::kInvalidConfig, std::move(faults), {}};
}

}  // namespace

int main(int argc, char** argv) try {
    return cli::run(argc, argv,
                    {serve, server::probe_judge, storage::kSchemaVersion, back_up, restore, repair,
                     storage::sqlite_version(), probe_webhook, server::route_table_document,
                     server::openapi_document, migrate, probe_store, check_settings});
} catch (const std::exception& e) {
    std::fprintf(stderr, "headway: %s\n", e.what());
    return 1;
}
