// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "config/load/load.hpp"
#include "core/base/result.hpp"
#include "core/base/time.hpp"

namespace headway::cli {

/// A copy of a database that was checked.
struct CopyReport {
    std::uint64_t bytes = 0;
    std::uint64_t sessions = 0;
    std::uint64_t events = 0;
    std::string replaced;  ///< where the database lies that was there before, or empty
    std::uint64_t damaged_snapshots = 0;  ///< of sessions that are read from the journal instead
    std::uint64_t damaged_sessions = 0;   ///< that are not read at all
};

/// Rows of a damaged database that were saved.
struct RepairReport {
    std::string damaged;         ///< where it lies now
    std::uint64_t sessions = 0;  ///< saved
    std::uint64_t events = 0;
    std::uint64_t cut = 0;      ///< of these sessions the end is missing
    std::uint64_t lost = 0;     ///< sessions of which nothing is left
    std::uint64_t unread = 0;   ///< rows and places that could not be read
    std::uint64_t renamed = 0;  ///< sessions that lost their id
};

struct MigrateRequest {
    std::string database;               ///< the path of the SQLite file
    std::string store;                  ///< the URL
    core::Millis answer_timeout{5000};  ///< of PostgreSQL
    /// What has been done of a step, of a total (0: not known).
    std::function<void(std::string_view step, std::uint64_t done, std::uint64_t total)> progress;
};

/// Rows that were copied to another store, and found equal there.
struct MigrateReport {
    std::uint64_t sessions = 0;
    std::uint64_t open_sessions = 0;
    std::uint64_t events = 0;
    std::uint64_t approvals = 0;
    std::uint64_t tokens = 0;
    std::uint64_t webhook_messages = 0;
    core::Millis copying{};
    core::Millis checking{};
};

/// Facts about a shared store, found without changing it.
struct StoreReport {
    std::string module;  ///< where it is; of this version
    bool connected = false;
    std::string host;     ///< that answered, or the folder of its socket
    std::string tls;      ///< empty: without
    std::string version;  ///< of PostgreSQL
    std::string user;
    std::string schema;             ///< where the tables are; empty: none exists in search_path
    bool may_create = false;        ///< tables in it
    bool may_write = false;         ///< to the tables that are there
    std::int64_t tables = 0;        ///< version of the tables; 0: there are none
    std::int64_t tables_known = 0;  ///< that this program writes
    bool importing = false;         ///< a migration has not come to its end
    bool no_fsync = false;          ///< the server loses commits with its power
    std::string standbys;           ///< synchronous_standby_names
    core::Millis clock_ahead{};     ///< of the database, against this machine
};

/// The parts of the daemon that verbs need. They come in as values, because cli may not know the
/// server.
struct Server {
    /// Runs the daemon; gives the exit code.
    std::function<int(const config::ServeOptions&)> serve;
    /// Asks the endpoint of this name one tiny question: how it went, else what is wrong and what
    /// to do. Waits for the answer.
    std::function<core::Result<std::string>(const config::JudgeSettings&, const std::string& name)>
        probe_judge;
    int schema_version = 0;  ///< of the databases it writes
    /// With a database that no daemon uses; its path comes first.
    std::function<core::Result<CopyReport>(const std::string& database, const std::string& file)>
        backup;
    std::function<core::Result<CopyReport>(const std::string& database, const std::string& file)>
        restore;
    std::function<core::Result<RepairReport>(const std::string& database)> repair;
    std::string_view sqlite_version;
    /// Connects to it and sends nothing: how it went, else what is wrong and what to do.
    std::function<core::Result<std::string>(const config::WebhookEndpoint&)> probe_webhook;
    /// The table of its routes, a JSON array.
    std::function<std::string()> routes;
    /// openapi.json, as the daemon serves it.
    std::function<std::string_view()> openapi;
    /// From a database that no daemon uses to an empty store. Error kInvalidConfig: of the URL or
    /// the module.
    std::function<core::Result<MigrateReport>(const MigrateRequest&)> migrate;
    /// Looks at the store of this URL: loads the module, reads the URL and, if asked to, connects.
    /// Errors: kInvalidConfig of the module or the URL, kStorageUnavailable.
    std::function<core::Result<StoreReport>(const std::string& url, bool connect)> probe_store;
};

/// Reads the command line and does what it says; gives the exit code of the process. Main thread
/// only, before any other thread exists.
int run(int argc, char** argv, const Server& server);

}  // namespace headway::cli
