// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/base/version.hpp"
#include "storage/store/store.hpp"

// The entry of headway-postgres.so, which the program loads when it is asked to. Both are built
// from the same sources; kPostgresModuleVersion and the version of the program say so.

namespace headway::storage {

/// Values that the module needs to open the store.
struct PostgresOpening {
    std::string url;
    std::string id;                        ///< of this daemon, unique
    std::string name;                      ///< for people
    std::string version;                   ///< of the program; another one is refused
    std::function<core::Timestamp()> now;  ///< instead of the database's time: for tests
    bool imports = false;                  ///< for a migration: may open what is not whole
    core::Millis connect_timeout{2'000};
    core::Millis answer_timeout{5'000};
};

/// Facts about a database that the module finds out without changing it.
struct PostgresFacts {
    bool connected = false;
    std::string host;     ///< that answered, or the folder of its socket
    std::string tls;      ///< its version; empty: without
    std::string version;  ///< of PostgreSQL
    std::string user;
    std::string schema;  ///< where the tables are or will be; empty: there is none
    bool may_create = false;
    bool may_write = false;         ///< to the tables that are there
    std::int64_t tables = 0;        ///< their version; 0: there are none
    std::int64_t tables_known = 0;  ///< the version that the module writes
    bool importing = false;         ///< a migration into it has not come to its end
    bool no_fsync = false;          ///< the server loses commits with its power
    std::string standbys;           ///< synchronous_standby_names
    core::Timestamp now = core::kNever;
};

/// Version that the program and its module must have in common.
inline std::string postgres_module_version() {
    const core::VersionInfo& version = core::version();
    return std::string{version.version} + " " + std::string{version.git};
}

/// The names and the types of the entries; opening gives 0 with a store, else an error.
inline constexpr const char* kPostgresEntry = "headway_open_postgres";
inline constexpr const char* kPostgresVersionEntry = "headway_postgres_version";
inline constexpr const char* kPostgresProbeEntry = "headway_probe_postgres";
using PostgresVersion = const char* (*)();
using ProbePostgres = int (*)(const PostgresOpening&, bool connect, PostgresFacts& facts,
                              core::Error& error);
using OpenPostgres = int (*)(const PostgresOpening&, std::unique_ptr<Store>& store,
                             core::Error& error);

}  // namespace headway::storage
