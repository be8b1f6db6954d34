// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/app.hpp"
#include "cli/client/daemon.hpp"

// Checks of `headway doctor`, one function each.

namespace headway::cli {

/// One line of `headway doctor`.
struct Finding {
    std::string about;
    bool ok = true;
    std::string detail;
    std::string fix;  ///< what to do if the check has failed
};

/// For this check and the checks below, a missing directory or file is not a fault, because the
/// first start creates it.
Finding check_state_directory(const std::filesystem::path& directory);

/// Reads the header only, so the database may be in use. `schema_version` is this build's.
Finding check_database(const std::filesystem::path& file, int schema_version);

/// Checks the linked SQLite for the WAL-reset bug, which a second connection triggers. Pure.
Finding check_sqlite(std::string_view version);

/// Checks the free space. With less than `free_min` bytes free, the daemon refuses reports.
Finding check_room(const std::filesystem::path& directory, std::uint64_t free_min);

/// Measures how long a sync takes in `directory`, because every report waits for a sync.
Finding check_sync(const std::filesystem::path& directory);

/// The parts of a damaged database that were saved, and those that were lost. Pure.
std::vector<Finding> repair_findings(const RepairReport& report);

/// State of the shared store, or the reason why it cannot be reached. Pure.
std::vector<Finding> store_findings(const core::Result<StoreReport>& found);

/// Checks that only the file's owner may read the operator's token.
Finding check_operator_file(const std::filesystem::path& file);

/// Checks whether the daemon is ready and uses `database`.
Finding check_daemon(Daemon& daemon, const std::filesystem::path& database);

/// "ok daemon ready at http://...", without terminal control characters. Pure.
std::string finding_line(const Finding& finding);

}  // namespace headway::cli
