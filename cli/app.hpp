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

/// Facts about a checked copy of a database.
struct CopyReport {
    std::uint64_t bytes = 0;
    std::uint64_t sessions = 0;
    std::uint64_t events = 0;
    std::string replaced;  ///< where the previous database is now; empty: there was none
    std::uint64_t damaged_snapshots = 0;  ///< damaged snapshots; their sessions are read from the
                                          ///< journal instead
    std::uint64_t damaged_sessions = 0;   ///< sessions that cannot be read at all
    std::uint64_t lost_commits = 0;       ///< commits of the damaged log that the copy lacks
    std::string damaged_log;              ///< where a copy of that log is; empty: it is sound
};

/// The data saved from a damaged database.
struct RepairReport {
    std::string damaged;         ///< where the damaged database is now
    std::uint64_t sessions = 0;  ///< sessions that were saved
    std::uint64_t events = 0;
    std::uint64_t cut = 0;      ///< saved sessions whose end is missing
    std::uint64_t lost = 0;     ///< sessions that are lost completely
    std::uint64_t unread = 0;   ///< rows and places that could not be read
    std::uint64_t renamed = 0;  ///< sessions that lost their id and have a new one
};

struct MigrateRequest {
    std::string database;               ///< the path of the SQLite file
    std::string store;                  ///< URL of the new store
    core::Millis answer_timeout{5000};  ///< limit for each reply of PostgreSQL
    /// Reports the progress of a step: `done` of `total` (0: unknown).
    std::function<void(std::string_view step, std::uint64_t done, std::uint64_t total)> progress;
};

/// Numbers of rows that were copied to another store and are equal there, and the time that copying
/// and checking took.
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

/// Facts about a shared store, collected without changing it.
struct StoreReport {
    std::string module;  ///< path of the module of this version
    bool connected = false;
    std::string host;     ///< host that replied, or the folder of its socket
    std::string tls;      ///< version of TLS; empty: no TLS
    std::string version;  ///< version of PostgreSQL
    std::string user;
    std::string schema;       ///< schema of the tables; empty: no schema of search_path exists
    bool may_create = false;  ///< the user may create tables in the schema
    bool may_write = false;   ///< the user may write to the existing tables
    std::int64_t tables = 0;  ///< version of the tables; 0: no tables
    std::int64_t tables_known = 0;  ///< version of the tables that this program creates
    bool importing = false;         ///< a migration has not finished
    bool no_fsync = false;          ///< the server may lose commits at a power failure
    std::string standbys;           ///< synchronous_standby_names
    core::Millis clock_ahead{};     ///< the database's clock minus this machine's
};

/// The parts of the daemon that verbs need. They are passed as values, because cli must not depend
/// on server.
struct Server {
    /// Runs the daemon; returns the exit code.
    std::function<int(const config::ServeOptions&)> serve;
    /// Sends one tiny question to the endpoint `name` and waits for the answer. Returns a text
    /// about the result; an error states what to do.
    std::function<core::Result<std::string>(const config::JudgeSettings&, const std::string& name)>
        probe_judge;
    int schema_version = 0;  ///< version of the databases that the daemon writes
    /// The next three functions need a database that no daemon uses; its path is their first
    /// argument.
    std::function<core::Result<CopyReport>(const std::string& database, const std::string& file)>
        backup;
    std::function<core::Result<CopyReport>(const std::string& database, const std::string& file)>
        restore;
    std::function<core::Result<RepairReport>(const std::string& database)> repair;
    std::string_view sqlite_version;
    /// Connects to the endpoint without sending anything. Returns a text about the result; an error
    /// states what to do.
    std::function<core::Result<std::string>(const config::WebhookEndpoint&)> probe_webhook;
    /// The table of the daemon's routes, a JSON array.
    std::function<std::string()> routes;
    /// openapi.json, as the daemon serves it.
    std::function<std::string_view()> openapi;
    /// Copies a database that no daemon uses to an empty store. Error: kInvalidConfig for the URL
    /// or the module.
    std::function<core::Result<MigrateReport>(const MigrateRequest&)> migrate;
    /// Examines the store of this URL: loads the module, reads the URL and, with `connect`,
    /// connects. Errors: kInvalidConfig for the module or the URL, kStorageUnavailable.
    std::function<core::Result<StoreReport>(const std::string& url, bool connect)> probe_store;
    /// Examines the files, groups and paths that the settings name, and changes nothing. Error:
    /// kInvalidConfig, the same that the daemon would report at its start.
    std::function<core::Result<>(const config::Settings&,
                                 const std::map<std::string, std::string>& environment)>
        check_settings;
};

/// Reads and runs the command line; returns the exit code of the process. Main thread only, before
/// any other thread exists.
int run(int argc, char** argv, const Server& server);

}  // namespace headway::cli
