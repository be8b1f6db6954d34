// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/base/time.hpp"
#include "storage/store/store.hpp"

// `headway migrate`: copies the database of one daemon to a store that several daemons share
// (docs/scale.md).

namespace headway::server {

/// Reports how many units of a step are done, and how many there are.
using MigrationProgress =
    std::function<void(std::string_view step, std::uint64_t done, std::uint64_t total)>;

struct MigrationRequest {
    std::filesystem::path database;
    std::string store;  ///< URL of the new store
    core::Millis answer_timeout{5'000};
    MigrationProgress progress;  ///< may be empty
};

/// Numbers of rows that were copied and are equal in both stores, and the time that copying and
/// checking took.
struct Migrated {
    std::uint64_t sessions = 0;
    std::uint64_t open_sessions = 0;
    std::uint64_t events = 0;
    std::uint64_t approvals = 0;
    std::uint64_t tokens = 0;
    std::uint64_t webhook_messages = 0;
    core::Millis copying{};
    core::Millis checking{};
};

/// Copies all of `from`, with the positions of events, into an empty `to`, checks the copy, and
/// only then lets daemons open it. Errors: those of both stores; kStorageUnavailable if a store is
/// in use, or if `to` is not empty; kStorageCorrupt if the stores differ.
core::Result<Migrated> copy_store(storage::Store& from, storage::Store& to,
                                  const MigrationProgress& progress);

/// Opens both stores and calls copy_store(). Errors: as in copy_store() and open_postgres().
core::Result<Migrated> migrate_store(const MigrationRequest& request);

}  // namespace headway::server
