// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>

#include "cli/app.hpp"
#include "server/app.hpp"
#include "server/backup_check.hpp"
#include "server/endpoints/endpoint.hpp"
#include "server/judge_probe.hpp"
#include "server/webhook_transfer.hpp"
#include "storage/migrations.hpp"
#include "storage/offline.hpp"
#include "storage/repair.hpp"
#include "storage/sqlite_handle.hpp"

namespace {

using namespace headway;
using core::Result;

Result<cli::CopyReport> back_up(const std::string& database, const std::string& file) {
    HEADWAY_TRY(const storage::DatabaseCounts made, server::backup_offline(database, file));
    return cli::CopyReport{made.bytes, made.sessions, made.events, {}};
}

Result<cli::CopyReport> restore(const std::string& database, const std::string& file) {
    HEADWAY_TRY(const storage::Restored made, storage::restore_database(file, database));
    return cli::CopyReport{made.counts.bytes, made.counts.sessions, made.counts.events,
                           made.replaced.string()};
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

}  // namespace

int main(int argc, char** argv) try {
    return cli::run(argc, argv,
                    {serve, server::probe_judge, storage::kSchemaVersion, back_up, restore, repair,
                     storage::sqlite_version(), probe_webhook, server::route_table_document});
} catch (const std::exception& e) {
    std::fprintf(stderr, "headway: %s\n", e.what());
    return 1;
}
