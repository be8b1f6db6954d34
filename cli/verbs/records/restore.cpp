// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/records/copy_report.hpp"

// `headway restore`: needs no daemon, and a stopped one.

namespace headway::cli {
namespace {

struct RestoreOptions {
    config::LoadRequest sources;
    std::string file;
    bool json = false;
};

/// The tokens of the backup may be those that a person has revoked since.
void say_undone(const Console& console) {
    console.err << "headway: decisions made after the backup are undone, and tokens that were "
                   "revoked after it are valid again: revoke them again (`headway token list`)\n";
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
    say_undone(console);
    if (options.json) {
        Json json = copy_json(*database, *report);
        json["replaced"] = nullptr;
        if (!report->replaced.empty()) json["replaced"] = report->replaced;
        console.out << dump(json) << "\n";
        return kExitOk;
    }
    say_copy(console, "restored", *database, report->sessions, report->events);
    say_damage(console, *report);
    if (!report->replaced.empty())
        console.out << "the database that was there is now " << clean_line(report->replaced)
                    << "\n";
    return kExitOk;
}

class Restore : public Verb {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Replace the database with a backup");
        arguments.footer(
            R"(The daemon must be stopped. The backup is checked first and stays as it is. The old database is kept beside the new one, under a name that is printed. Decisions made after the backup are undone: tokens that were revoked after it are valid again and have to be revoked again.

Exit codes:
  0    restored
  1    refused or failed
  2    a mistake in the settings
  64   usage

Example:
  headway restore /var/lib/headway/2026-11-21.db)");
        arguments.operand("FILE", options_.file, "a backup that `headway backup` made").required();
        arguments.json(options_.json);
        arguments
            .setting("--state-dir", "storage.state_dir", options_.sources,
                     "state directory of the daemon (database, operator.token, headway.sock)")
            .never_empty();
        arguments.sources(options_.sources);
    }

    int run(const Console& console, const Server& server) override {
        return restore_backup(options_, server, console);
    }

private:
    RestoreOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_restore() {
    return std::make_unique<Restore>();
}

}  // namespace headway::cli
