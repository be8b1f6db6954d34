// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "storage/store.hpp"

// The entry of headway-postgres.so, which the program loads when it is asked to. Both are built
// from the same sources; kPostgresModuleVersion and the version of the program say so.

namespace headway::storage {

/// What the module needs to open the store.
struct PostgresOpening {
    std::string url;
    std::string id;       ///< of this daemon, unique
    std::string name;     ///< for people
    std::string version;  ///< of the program; another one is refused
    core::Millis connect_timeout{2'000};
    core::Millis answer_timeout{5'000};
};

/// The name and the type of the entry: 0 with a store, else an error. Without exceptions.
inline constexpr const char* kPostgresEntry = "headway_open_postgres";
using OpenPostgres = int (*)(const PostgresOpening&, std::unique_ptr<Store>& store,
                             core::Error& error);

}  // namespace headway::storage
