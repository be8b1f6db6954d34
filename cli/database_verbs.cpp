// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/daemon.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"
#include "cli/verbs.hpp"

// `headway backup` and `headway restore`.

namespace headway::cli {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// A copy of many gigabytes takes its time.
constexpr std::chrono::hours kBackupTimeout{6};

core::Result<std::string> database_of(const config::LoadRequest& sources) {
    HEADWAY_TRY(const config::Loaded loaded, config::load(sources));
    const auto directory = config::state_directory(loaded.settings.storage, sources.environment);
    return (directory / "headway.db").string();
}

json as_json(const std::string& file, const CopyReport& report) {
    return {{"file", file},
            {"bytes", report.bytes},
            {"sessions", report.sessions},
            {"events", report.events}};
}

void say_copy(const Console& console, const std::string& verb, const std::string& file,
              std::uint64_t sessions, std::uint64_t events) {
    console.out << verb << " " << clean_line(file) << ": " << sessions << " sessions, " << events
                << " events, checked\n";
}

int back_up_offline(const BackupOptions& options, const std::string& file, const Server& server,
                    const Console& console, const std::string& unanswered) {
    const auto database = database_of(options.sources);
    if (!database) return complain(console, kExitConfig, database.error().detail);
    const auto report = server.backup(*database, file);
    if (!report) {
        return complain(console, kExitFailed, report.error().detail,
                        "no daemon answered either (" + unanswered + ")");
    }
    if (options.client.json) {
        console.out << dump(as_json(file, *report)) << "\n";
    } else {
        say_copy(console, "backed up to", file, report->sessions, report->events);
    }
    return kExitOk;
}

}  // namespace

int back_up(const BackupOptions& options, const Server& server, const Console& console) {
    std::error_code ec;
    const std::string file = fs::absolute(options.file, ec).lexically_normal().string();
    Daemon daemon(options.client.url, options.client.credential);
    const HttpReply reply = daemon.post("/v1/backup", {{"file", file}}, kBackupTimeout);
    if (!reply.answered()) return back_up_offline(options, file, server, console, reply.error);
    const auto made = body_json(reply);
    if (!reply.ok() || !made || !made->is_object()) return explain_failure(console, daemon, reply);
    if (options.client.json) {
        console.out << dump(*made) << "\n";
    } else {
        say_copy(console, "backed up to", file, made->value("sessions", std::uint64_t{0}),
                 made->value("events", std::uint64_t{0}));
    }
    return kExitOk;
}

int restore_backup(const RestoreOptions& options, const Server& server, const Console& console) {
    const auto database = database_of(options.sources);
    if (!database) return complain(console, kExitConfig, database.error().detail);
    const auto report = server.restore(*database, options.file);
    if (!report) {
        return complain(console, kExitFailed, report.error().detail,
                        "the database was not changed; a backup of `headway backup` and a stopped "
                        "daemon are needed");
    }
    if (options.json) {
        json said = as_json(*database, *report);
        said["replaced"] = nullptr;
        if (!report->replaced.empty()) said["replaced"] = report->replaced;
        console.out << dump(said) << "\n";
        return kExitOk;
    }
    say_copy(console, "restored", *database, report->sessions, report->events);
    if (!report->replaced.empty())
        console.out << "the database that was there is now " << clean_line(report->replaced)
                    << "\n";
    return kExitOk;
}

}  // namespace headway::cli
