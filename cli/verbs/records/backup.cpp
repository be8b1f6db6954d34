// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <ostream>

#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/client/client_options.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/records/copy_report.hpp"

// `headway backup`: by the daemon, or of a database that none uses.

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

/// A copy of many gigabytes takes its time.
constexpr std::chrono::hours kBackupTimeout{6};

struct BackupOptions {
    ClientOptions client;
    config::LoadRequest sources;  ///< where the database is
    std::string file;
};

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
        console.out << dump(copy_json(file, *report)) << "\n";
    } else {
        say_copy(console, "backed up to", file, report->sessions, report->events);
        say_damage(console, *report);
    }
    return kExitOk;
}

int back_up(const BackupOptions& options, const Server& server, const Console& console) {
    std::error_code ec;
    const std::string file = fs::absolute(options.file, ec).lexically_normal().string();
    Daemon daemon(options.client.url, options.client.credential);
    const HttpReply reply = daemon.post("/v1/backup", {{"file", file}}, kBackupTimeout);
    if (!reply.answered()) return back_up_offline(options, file, server, console, reply.error);
    const std::optional<Json> json = body_json(reply);
    if (!reply.ok() || !json || !json->is_object()) return explain_failure(console, daemon, reply);
    if (options.client.json) {
        console.out << dump(*json) << "\n";
    } else {
        say_copy(console, "backed up to", file, json->count_of("sessions"),
                 json->count_of("events"));
    }
    return kExitOk;
}

class Backup : public Verb {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Copy the database into a file, and check it");
        arguments.footer(
            R"(A running daemon makes the copy itself, on its own machine, and keeps working. Without a daemon, this
command copies the database that is named in the settings (--config, --set). Exit code 0 means that the copy
is complete, checked and synced. Only the owner of the copy may read it, and no file is ever
overwritten. With a running daemon you need its Unix socket, the operator's token, or a token with the
scope `admin`.

Exit codes:
  0    copied and checked
  1    refused or failed
  2    a mistake in the settings
  64   usage

Examples:
  headway backup /var/lib/headway/$(date +%F).db
  headway backup --json today.db)");
        arguments.client(options_.client);
        arguments.operand("FILE", options_.file, "file to create; it must not exist").required();
        arguments.sources(options_.sources);
    }

    int run(const Console& console, const Server& server) override {
        return back_up(options_, server, console);
    }

private:
    BackupOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_backup() {
    return std::make_unique<Backup>();
}

}  // namespace headway::cli
