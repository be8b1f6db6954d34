// SPDX-License-Identifier: Apache-2.0
#include "cli/records/copy_report.hpp"

#include <ostream>

#include "cli/base/json.hpp"
#include "cli/base/text.hpp"

namespace headway::cli {

core::Result<std::string> database_of(const config::LoadRequest& sources) {
    HEADWAY_TRY(const config::Loaded loaded, config::load(sources));
    HEADWAY_CHECK(require_own_database(loaded.settings));
    const auto directory = config::state_directory(loaded.settings.storage, sources.environment);
    return (directory / "headway.db").string();
}

core::Result<> require_own_database(const config::Settings& settings) {
    if (settings.storage.store.empty()) return {};
    return core::Error{
        core::ErrorCode::kInvalidConfig,
        "the journal is in PostgreSQL (storage.store): use the means of the database, pg_dump and "
        "pg_restore, or pg_basebackup with its archive",
        "storage.store"};
}

Json copy_json(const std::string& file, const CopyReport& report) {
    return {{"file", file},
            {"bytes", report.bytes},
            {"sessions", report.sessions},
            {"events", report.events},
            {"damaged_snapshots", report.damaged_snapshots},
            {"damaged_sessions", report.damaged_sessions},
            {"lost_commits", report.lost_commits}};
}

void say_copy(const Console& console, const std::string& verb, const std::string& file,
              std::uint64_t sessions, std::uint64_t events) {
    console.out << verb << " " << clean_line(file) << ": " << sessions << " sessions, " << events
                << " events, checked\n";
}

void say_damage(const Console& console, const CopyReport& report) {
    if (report.lost_commits > 0) {
        console.err << "headway: the log of the database is damaged: " << report.lost_commits
                    << " commits of acknowledged reports cannot be read, and the copy lacks them; "
                       "a copy of the log is kept as "
                    << clean_line(report.damaged_log) << "\n";
    }
    if (report.damaged_snapshots > 0) {
        console.err << "headway: of " << report.damaged_snapshots
                    << " sessions the snapshot is damaged; their journal is sound and is read "
                       "instead\n";
    }
    if (report.damaged_sessions > 0) {
        console.err
            << "headway: " << report.damaged_sessions
            << " sessions cannot be read, since their rows are damaged; stop headway and run "
               "`headway doctor --repair`\n";
    }
}

}  // namespace headway::cli
