// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/base/version.hpp"
#include "storage/store/store.hpp"

// The entry points of the module headway-postgres.so, which the program loads on demand. The module
// and the program must be built from the same sources; they compare postgres_module_version().

namespace headway::storage {

/// The values that the module needs to open the store.
struct PostgresOpening {
    std::string url;
    std::string id;                        ///< this daemon's id, unique
    std::string name;                      ///< name of this daemon, shown to people
    std::string version;                   ///< version of the program
    std::function<core::Timestamp()> now;  ///< replaces the database's time in tests
    bool imports = false;  ///< set by a migration, which may open an incomplete store
    core::Millis connect_timeout{2'000};
    core::Millis answer_timeout{5'000};
};

/// Facts about a database. The module collects them without changing the database.
struct PostgresFacts {
    bool connected = false;
    std::string host;     ///< host that answered, or the folder of its socket
    std::string tls;      ///< TLS version; empty: no TLS
    std::string version;  ///< PostgreSQL's version
    std::string user;
    std::string schema;  ///< schema of the tables, existing or not; empty: no schema
    bool may_create = false;
    bool may_write = false;         ///< the user may write to the existing tables
    std::int64_t tables = 0;        ///< version of the tables; 0: no tables
    std::int64_t tables_known = 0;  ///< version of the tables that the module creates
    bool importing = false;         ///< a migration into the database is incomplete
    bool no_fsync = false;          ///< the server may lose commits at a power failure
    std::string standbys;           ///< the server's synchronous_standby_names
    core::Timestamp now = core::kNever;
};

/// The version that the program and the module must share.
inline std::string postgres_module_version() {
    const core::VersionInfo& version = core::version();
    return std::string{version.version} + " " + std::string{version.git};
}

/// Names and types of the entry points. OpenPostgres sets `store` and returns 0, or sets `error`.
inline constexpr const char* kPostgresEntry = "headway_open_postgres";
inline constexpr const char* kPostgresVersionEntry = "headway_postgres_version";
inline constexpr const char* kPostgresProbeEntry = "headway_probe_postgres";
using PostgresVersion = const char* (*)();
using ProbePostgres = int (*)(const PostgresOpening&, bool connect, PostgresFacts& facts,
                              core::Error& error);
using OpenPostgres = int (*)(const PostgresOpening&, std::unique_ptr<Store>& store,
                             core::Error& error);

}  // namespace headway::storage
