// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "config/load.hpp"
#include "core/result.hpp"

namespace headway::cli {

/// A copy of a database that was checked.
struct CopyReport {
    std::uint64_t bytes = 0;
    std::uint64_t sessions = 0;
    std::uint64_t events = 0;
    std::string replaced;  ///< where the database lies that was there before, or empty
};

/// What was saved of a damaged database.
struct RepairReport {
    std::string damaged;         ///< where it lies now
    std::uint64_t sessions = 0;  ///< saved
    std::uint64_t events = 0;
    std::uint64_t cut = 0;      ///< of these sessions the end is missing
    std::uint64_t lost = 0;     ///< sessions of which nothing is left
    std::uint64_t unread = 0;   ///< rows and places that could not be read
    std::uint64_t renamed = 0;  ///< sessions that lost their id
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
};

/// Reads the command line and does what it says; gives the exit code of the process. Main thread
/// only, before any other thread exists.
int run(int argc, char** argv, const Server& server);

}  // namespace headway::cli
