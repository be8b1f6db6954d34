// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "cli/base/clock.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/line/verb.hpp"
#include "cli/records/copy_report.hpp"

// `headway migrate`: from the database of one daemon to a store that several share.

namespace headway::cli {
namespace {

constexpr std::string_view kSqlite = "sqlite:";
constexpr std::chrono::seconds kProgressEvery{2};

struct MigrateOptions {
    config::LoadRequest sources;
    std::string from;
    std::string to;  ///< empty: storage.store
    bool json = false;
};

/// A line every two seconds, with how much of the step is done.
std::function<void(std::string_view, std::uint64_t, std::uint64_t)> progress_on(
    const Console& console) {
    return [&console, shown = steady_now()](std::string_view step, std::uint64_t done,
                                            std::uint64_t total) mutable {
        if (steady_now() - shown < kProgressEvery) return;
        shown = steady_now();
        console.err << step;
        if (total > 0) console.err << ": " << done * 100 / total << " %";
        console.err << "\n" << std::flush;
    };
}

Json json_of(const MigrateReport& report) {
    return {{"sessions", report.sessions},
            {"open_sessions", report.open_sessions},
            {"events", report.events},
            {"approvals", report.approvals},
            {"tokens", report.tokens},
            {"webhook_messages", report.webhook_messages},
            {"copying_ms", report.copying.count()},
            {"checking_ms", report.checking.count()}};
}

void say(const Console& console, const MigrateReport& report, const std::string& store) {
    const auto took = (report.copying + report.checking).count();
    console.out
        << "copied to " << clean_line(store) << ": " << report.sessions << " sessions ("
        << report.open_sessions << " open), " << report.events << " events, " << report.approvals
        << " approvals, " << report.tokens << " access tokens, " << report.webhook_messages
        << " webhook messages; each session is equal on both "
        << "sides; " << took << " ms\n"
        << "start the daemons with --store; the old database was not changed, and no daemon "
        << "may serve it any more\n";
}

int migrate(const MigrateOptions& options, const Server& server, const Console& console) {
    const auto loaded = config::load(options.sources);
    if (!loaded) return complain(console, kExitConfig, loaded.error().detail);
    MigrateRequest request;
    request.store = options.to.empty() ? loaded->settings.storage.store : options.to;
    request.answer_timeout = loaded->settings.storage.store_timeout;
    bool begun = false;
    request.progress = [&begun, tell = progress_on(console)](
                           std::string_view step, std::uint64_t done, std::uint64_t total) mutable {
        begun = true;
        tell(step, done, total);
    };
    if (!options.from.starts_with(kSqlite) || options.from.size() == kSqlite.size()) {
        return complain(console, kExitUsage, "--from is not sqlite:PATH",
                        "as in: --from sqlite:/var/lib/headway/headway.db");
    }
    request.database = options.from.substr(kSqlite.size());
    if (!request.store.starts_with("postgres://") && !request.store.starts_with("postgresql://")) {
        return complain(console, kExitUsage,
                        request.store.empty() ? "neither --to nor storage.store names a store"
                                              : "--to is not postgresql://...",
                        "as in: --to 'postgresql://headway@db.example.com/headway'");
    }
    const auto report = server.migrate(request);
    if (!report) {
        const bool config = report.error().code == core::ErrorCode::kInvalidConfig;
        std::string hint =
            begun
                ? "the old database was not changed; the same command begins again, and until its "
                  "exit code is 0 no daemon opens the copy"
                : "nothing was copied, and the old database was not changed";
        if (config) hint.clear();
        return complain(console, config ? kExitConfig : kExitFailed, report.error().detail, hint);
    }
    if (options.json) {
        console.out << dump(json_of(*report)) << "\n";
    } else {
        say(console, *report, config::without_password(request.store));
    }
    return kExitOk;
}

class Migrate : public Verb {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Copy the database into a shared PostgreSQL database");
        arguments.footer(
            R"(The daemon must be stopped, and the PostgreSQL database must be empty. Sessions keep their ids and
times; events keep their numbers and their order across sessions. Approvals, checks, estimates, expectations,
access tokens, keys and messages to webhooks are copied, too. Then each session is rebuilt from the
copied events and compared with the original. Daemons refuse to open the copy until all sessions
match. After an interruption, run the same command again: it replaces the unfinished copy.

Exit codes: 0 copied, all sessions match   1 failed   2 bad settings   64 usage

Examples:
  headway migrate --from sqlite:/var/lib/headway/headway.db --to 'postgresql://headway@db/headway'
  HEADWAY_STORAGE_STORE_FILE=/etc/headway/store headway migrate --from sqlite:headway.db)");
        arguments.option("--from", options_.from, "the database to copy, as sqlite:PATH")
            .required();
        arguments.option("--to", options_.to,
                         "the PostgreSQL database, postgresql://... (default: storage.store)");
        arguments.json(options_.json);
        arguments.sources(options_.sources);
    }

    int run(const Console& console, const Server& server) override {
        return migrate(options_, server, console);
    }

private:
    MigrateOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_migrate() {
    return std::make_unique<Migrate>();
}

}  // namespace headway::cli
