// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/version.hpp"
#include "storage/store.hpp"

// The entry of headway-postgres.so, which the program loads when it is asked to. Both are built
// from the same sources; kPostgresModuleVersion and the version of the program say so.

namespace headway::storage {

/// What the module needs to open the store.
struct PostgresOpening {
    std::string url;
    std::string id;                        ///< of this daemon, unique
    std::string name;                      ///< for people
    std::string version;                   ///< of the program; another one is refused
    std::function<core::Timestamp()> now;  ///< instead of the database's time: for tests
    core::Millis connect_timeout{2'000};
    core::Millis answer_timeout{5'000};
};

/// What the program and its module must have in common.
inline std::string postgres_module_version() {
    const core::VersionInfo& version = core::version();
    return std::string{version.version} + " " + std::string{version.git};
}

/// The names and the types of the entries; opening gives 0 with a store, else an error.
inline constexpr const char* kPostgresEntry = "headway_open_postgres";
inline constexpr const char* kPostgresVersionEntry = "headway_postgres_version";
using PostgresVersion = const char* (*)();
using OpenPostgres = int (*)(const PostgresOpening&, std::unique_ptr<Store>& store,
                             core::Error& error);

}  // namespace headway::storage
