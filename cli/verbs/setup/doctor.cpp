// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/setup/doctor.hpp"

#include <ostream>

#include "cli/agents/doctor/agent_doctor.hpp"
#include "cli/agents/hook_way.hpp"
#include "cli/app.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/credentials.hpp"
#include "cli/doctor/doctor.hpp"
#include "cli/line/verb.hpp"
#include "cli/records/copy_report.hpp"
#include "config/settings/address.hpp"

// `headway doctor`: everything that has to be right before agents can be supervised, one line each.

namespace headway::cli {
namespace {

class Doctor {
public:
    Doctor(const DoctorOptions& options, const Server& server, const Console& console)
        : options_(options), server_(server), console_(console) {}

    int run() {
        const core::Result<config::Loaded> loaded = config::load(options_.sources);
        if (loaded && !options_.agents.empty()) {
            examine_agents();
        } else if (loaded && options_.repair) {
            repair(*loaded);
        } else if (loaded) {
            examine(*loaded);
        } else {
            say_mistakes(loaded.error().detail);
        }
        if (options_.json) console_.out << dump({{"ok", ok_}, {"checks", checks_}}) << "\n";
        return ok_ ? kExitOk : kExitFailed;
    }

private:
    void examine_agents() {
        const auto way = find_hook_way(options_.url, options_.sources);
        if (!way) return say({"daemon", false, way.error().detail, {}});
        const bool asked =
            !options_.url.empty() || options_.sources.environment.contains("HEADWAY_URL");
        for (const std::string& name : options_.agents) {
            std::error_code none;
            const InstallPlace place{
                options_.sources.environment, {}, std::filesystem::current_path(none)};
            for (const Finding& finding : examine_agent(*find_agent_row(name), place, *way, asked))
                say(finding);
        }
    }

    void repair(const config::Loaded& loaded) {
        if (const auto own = require_own_database(loaded.settings); !own)
            return say({"repair", false, own.error().detail, {}});
        const auto file =
            config::state_directory(loaded.settings.storage, options_.sources.environment) /
            "headway.db";
        const auto report = server_.repair(file.string());
        if (!report) {
            say({"repair", false, report.error().detail, "the database was not changed"});
            return;
        }
        for (const Finding& finding : repair_findings(*report))
            say(finding);
    }

    void examine(const config::Loaded& loaded) {
        say({"configuration",
             true,
             loaded.file ? loaded.file->string() : "no file, defaults and environment",
             {}});
        const auto directory =
            config::state_directory(loaded.settings.storage, options_.sources.environment);
        say(check_state_directory(directory));
        examine_store(loaded.settings.storage, directory);
        say(check_operator_file(directory / "operator.token"));
        const std::string& store = loaded.settings.storage.store;
        say(ask_daemon(way_to(loaded.settings.server, directory), directory,
                       store.empty() ? directory / "headway.db"
                                     : std::filesystem::path{config::without_password(store)}));
        const config::JudgeSettings& judge = loaded.settings.judge;
        if (judge.endpoints.empty()) say({"judge", true, "none is configured, none is asked", {}});
        for (const config::JudgeEndpoint& endpoint : judge.endpoints) {
            const auto answer = server_.probe_judge(judge, endpoint.name);
            say({"judge " + endpoint.name,
                 answer.has_value(),
                 answer ? *answer : answer.error().detail,
                 {}});
        }
        examine_webhooks(loaded.settings.webhooks);
    }

    void examine_store(const config::StorageSettings& storage,
                       const std::filesystem::path& directory) {
        if (!storage.store.empty()) {
            for (const Finding& finding : store_findings(server_.probe_store(storage.store, true)))
                say(finding);
            return;
        }
        say(check_database(directory / "headway.db", server_.schema_version));
        say(check_sqlite(server_.sqlite_version));
        say(check_room(directory, storage.free_space_min));
        say(check_sync(directory));
    }

    void examine_webhooks(const config::WebhookSettings& webhooks) {
        if (webhooks.endpoints.empty()) say({"webhooks", true, "none is configured", {}});
        for (const config::WebhookEndpoint& endpoint : webhooks.endpoints) {
            const auto answer = server_.probe_webhook(endpoint);
            say({"webhook " + endpoint.name,
                 answer.has_value(),
                 answer ? *answer : answer.error().detail,
                 {}});
        }
    }

    // The certificate may name others than the address, and an address of all networks is none to
    // call.
    static std::string way_to(const config::ServerSettings& server,
                              const std::filesystem::path& directory) {
        const auto address = config::parse_listen_address(server.listen);
        const bool plain = server.tls_cert.empty() && address && address->loopback;
        if (plain) return server.listen;
        if (server.socket.empty()) return "https://" + server.listen;
        return "unix:" + std::filesystem::absolute(directory / server.socket).string();
    }

    // The operator's token is looked for where these settings keep it.
    Finding ask_daemon(const std::string& listen, const std::filesystem::path& directory,
                       const std::filesystem::path& database) const {
        auto environment = options_.sources.environment;
        const bool named = !options_.url.empty() || environment.contains("HEADWAY_URL");
        environment["STATE_DIRECTORY"] = directory.string();
        // Whatever its address, the daemon that answers there is the one of this database.
        const std::string socket = named ? std::string{} : find_socket_url(environment);
        if (!named && socket.empty() && listen.ends_with(":0")) {
            return {"daemon", false, "server.listen leaves its port to the kernel",
                    "name the daemon with --url"};
        }
        const std::string& found = socket.empty() ? listen : socket;
        const auto url = daemon_url(named ? options_.url : found, environment);
        if (!url)
            return {"daemon", false, url.error().detail, "as in: --url http://127.0.0.1:7717"};
        auto credential = find_credential(options_.token_file, *url, environment);
        if (!credential) {
            return {"daemon", false, credential.error().detail,
                    "a token is a line such as hw_<id>_<secret>"};
        }
        credential->owner_only = !named;
        Daemon daemon{*url, *std::move(credential)};
        return check_daemon(daemon, database);
    }

    // They come one per line, and each says what to do.
    void say_mistakes(const std::string& detail) {
        for (const std::string& mistake : lines_of(detail))
            say({"configuration", false, mistake, {}});
    }

    void say(const Finding& finding) {
        ok_ = ok_ && finding.ok;
        if (!options_.json) {
            console_.out << finding_line(finding) << "\n"
                         << std::flush;  // a judge may take its time
            return;
        }
        Json check = {{"check", finding.about}, {"ok", finding.ok}, {"detail", finding.detail}};
        if (!finding.fix.empty()) check["fix"] = finding.fix;
        checks_.push_back(std::move(check));
    }

    const DoctorOptions& options_;
    const Server& server_;
    const Console& console_;
    bool ok_ = true;
    Json checks_ = Json::array();
};

constexpr const char* kDoctorFooter =
    R"(Checks the settings, the state directory, the database, the operator's token and the daemon.
Sends each judge (a model in the settings) one tiny question, which may cost money. Prints one line
for each check, with the fix. Exit code 0: no problems; 1: at least one.

With AGENT, checks the connection from that agent to the daemon instead: the agent's program and
version, Headway's hooks in its settings, settings that turn hooks off, and whether the hooks reach
the daemon.

--repair saves the readable part of a damaged database in a new database. Stop the daemon first. The
new database has each session up to its first missing event. The damaged database is kept beside it.

Examples:
  headway doctor
  headway doctor claude
  headway doctor --repair
  headway doctor --config headway.toml --json)";

class DoctorVerb : public VerbOf<DoctorOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Find problems with this installation").footer(kDoctorFooter);
        arguments.operand("AGENT", options.agents, "check the hooks of these agents")
            .choices(agent_names());
        arguments.option("--url", options.url,
                         "the daemon (default: HEADWAY_URL, else your running daemon, else the "
                         "address in the settings)");
        arguments
            .option("--token-file", options.token_file,
                    "file that holds the token (default: HEADWAY_TOKEN, else the file named by "
                    "HEADWAY_TOKEN_FILE, else the operator's token)")
            .type("FILE");
        arguments.json(options.json);
        arguments.flag("--repair", options.repair, "save the readable part of a damaged database");
        arguments
            .setting("--state-dir", "storage.state_dir", options.sources,
                     "state directory of the daemon (database, operator.token, headway.sock)")
            .never_empty();
        arguments.sources(options.sources);
    }

    int run(const Console& console, const Server& server) override {
        return run_doctor(options, server, console);
    }
};

}  // namespace

int run_doctor(const DoctorOptions& options, const Server& server, const Console& console) {
    return Doctor(options, server, console).run();
}

std::unique_ptr<Verb> make_doctor() {
    return std::make_unique<DoctorVerb>();
}

}  // namespace headway::cli
