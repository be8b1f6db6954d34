// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "api/decode.hpp"
#include "cli/argument_slots.hpp"
#include "cli/daemon.hpp"
#include "cli/exit_code.hpp"
#include "cli/help_text.hpp"
#include "cli/text.hpp"
#include "config/duration.hpp"
#include "core/suggest.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kHelpColumns = 80;  // where no terminal says how many it has

std::size_t help_columns(const Console& console) {
    return console.width == 0 ? kHelpColumns : std::clamp<std::size_t>(console.width, 40, 120);
}

constexpr const char* kFooter = R"(Examples:
  headway serve                          start the daemon on http://127.0.0.1:7717
  headway run -- make -j2                supervise a command
  headway watch                          see what all sessions do, live
  headway wait make-3f2a91c07b54         0 when it ended well, 1 when it failed, 2 when stuck
  headway wait --help                    each verb explains itself

The daemon is found by --url, then HEADWAY_URL, then its Unix socket in the default state folder
(but by `run`, whose command may need a URL), then http://127.0.0.1:7717. It is shown the token of
--token-file, HEADWAY_TOKEN, HEADWAY_TOKEN_FILE, or, on this machine, the operator's if we may read
it; --state-dir says where that is if not in the default state folder; over the socket none is
needed. Over https, --ca-file or HEADWAY_CA_FILE says whom to trust.)";

// CLI11 takes words after `--` as operands, but would still look at their number; the command of
// `run` is cut off here.
std::vector<std::string> split_command(int argc, const char* const* argv,
                                       std::vector<std::string>& command) {
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    if (words.empty() || words.front() != "run") return words;
    const auto dashes = std::find(words.begin(), words.end(), "--");
    if (dashes == words.end()) return words;
    command.assign(dashes + 1, words.end());
    words.erase(dashes, words.end());
    return words;
}

std::string unknown_verb(const CLI::App& app, const std::vector<std::string>& words) {
    if (words.empty() || words.front().starts_with('-')) return {};
    std::vector<std::string> names;
    for (const CLI::App* verb : app.get_subcommands({}))
        names.push_back(verb->get_name());
    if (std::find(names.begin(), names.end(), words.front()) != names.end()) return {};
    const std::vector<std::string_view> known(names.begin(), names.end());
    return "unknown verb `" + clean_line(words.front()) + "`" +
           core::did_you_mean(words.front(), known);
}

const CLI::App& innermost(const CLI::App& app) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    return chosen.empty() ? app : innermost(*chosen.front());
}

std::string full_name(const CLI::App& verb) {
    const CLI::App* const parent = verb.get_parent();
    return parent == nullptr ? verb.get_name() : full_name(*parent) + " " + verb.get_name();
}

Parsed stopped(int exit_code) {
    return {std::nullopt, exit_code};
}

// CLI11 throws for help and for mistakes alike; both end here.
Parsed report_parse_end(const CLI::App& app, const CLI::ParseError& error, const Console& console) {
    if (error.get_exit_code() == 0) {
        console.out << wrap_help(app.help(), help_columns(console));  // of the verb named
        return stopped(kExitOk);
    }
    return stopped(complain(console, kExitUsage, error.what(),
                            "`" + full_name(innermost(app)) + " --help` shows how"));
}

// What every verb takes from its surroundings: the daemon's URL, and for settings the environment.
core::Result<> complete(Command& command, ClientOptions client, const Console& console) {
    std::map<std::string, std::string> environment = console.environment;
    if (client.state_dir.empty()) client.state_dir = environment["HEADWAY_STORAGE_STATE_DIR"];
    if (!client.state_dir.empty()) environment["STATE_DIRECTORY"] = client.state_dir;
    const bool named = !client.url.empty() || console.environment.contains("HEADWAY_URL");
    // What `run` supervises gets the URL, and not every client of ours speaks through a socket.
    if (!named && !std::holds_alternative<RunOptions>(command)) {
        client.url = find_socket_url(environment);
    }
    const core::Result<std::string> url = daemon_url(client.url, console.environment);
    if (url) client.url = *url;
    bool needs_url = false;
    bool is_client = false;
    std::visit(
        [&](auto& options) {
            if constexpr (requires { options.client; }) {
                is_client = true;
                needs_url = true;
                if constexpr (requires { options.to_daemon; }) needs_url = options.to_daemon;
            }
            if constexpr (requires { options.sources; }) {
                options.sources.environment = console.environment;
            }
            if constexpr (requires { options.sources, options.client; }) {
                if (!client.state_dir.empty())
                    options.sources.flags["storage.state_dir"] = client.state_dir;
            }
        },
        command);
    if (needs_url && !url) return url.error();
    if (needs_url) {
        HEADWAY_TRY(client.credential, find_credential(client.token_file, client.url, environment));
        HEADWAY_TRY(client.credential.ca_file, find_ca_file(client.ca_file, console.environment));
    }
    if (is_client) {
        std::visit(
            [&](auto& options) {
                if constexpr (requires { options.client; }) options.client = client;
            },
            command);
    }
    return {};
}

const char* next_step(std::string_view field) {
    const bool about_trust = field == "--ca-file" || field == "HEADWAY_CA_FILE";
    return about_trust ? "it holds the certificate of the daemon, or of who signed it, as PEM"
                       : "a token is a line such as hw_<id>_<secret>";
}

}  // namespace

std::string session_id_fault(const std::string& id) {
    if (api::valid_id(id)) return {};
    return "\"" + clean_line(id) +
           "\" is no session id: that is 1 to 128 of A-Z a-z 0-9 . _ : - and not . or ..";
}

CLI::App& add_verb(CLI::App& app, const char* name, const char* help, const char* footer,
                   ClientOptions& client) {
    CLI::App& verb = *app.add_subcommand(name, help);
    verb.footer(footer);
    add_client_flags(verb, client);
    return verb;
}

void add_client_flags(CLI::App& verb, ClientOptions& client) {
    verb.add_option("--url", client.url, "the daemon, else HEADWAY_URL, else the default address");
    verb.add_option("--token-file", client.token_file,
                    "file of the token to show, else HEADWAY_TOKEN, else HEADWAY_TOKEN_FILE")
        ->type_name("FILE");
    verb.add_option("--state-dir", client.state_dir,
                    "where a daemon on this machine keeps its token and socket, if elsewhere")
        ->type_name("DIR");
    verb.add_option("--ca-file", client.ca_file,
                    "PEM file of whom to trust over https, else HEADWAY_CA_FILE, else the system's")
        ->type_name("FILE");
    verb.add_flag("--json", client.json, "print JSON for programs");
}

void add_duration(CLI::App& verb, const std::string& flags, std::optional<milliseconds>& target,
                  const std::string& help) {
    const auto store = [&target, flags](const std::string& text) {
        const core::Result<milliseconds> duration = config::parse_duration(text);
        if (!duration) throw CLI::ValidationError(flags, duration.error().detail);
        target = *duration;
    };
    verb.add_option_function<std::string>(flags, store, help)->type_name("DURATION");
}

void add_duration(CLI::App& verb, const std::string& flags, milliseconds& target,
                  const std::string& help) {
    const auto store = [&target, flags](const std::string& text) {
        const core::Result<milliseconds> duration = config::parse_duration(text);
        if (!duration) throw CLI::ValidationError(flags, duration.error().detail);
        target = *duration;
    };
    verb.add_option_function<std::string>(flags, store, help)
        ->type_name("DURATION")
        ->default_str(config::print_duration(target));
}

void add_all_verbs(CLI::App& app, ArgumentSlots& slots) {
    app.require_subcommand(0, 1);
    app.footer(kFooter);
    add_process_verbs(app, slots);
    add_session_verbs(app, slots);
    add_steering_verbs(app, slots);
    add_recording_verbs(app, slots);
    add_token_verbs(app, slots);
    add_webhook_verbs(app, slots);
    add_database_verbs(app, slots);
    add_other_verbs(app, slots);
    add_demo_verbs(app, slots);
    add_text_verbs(app, slots);
}

Parsed parse_arguments(int argc, const char* const* argv, const Console& console) {
    ArgumentSlots slots;
    CLI::App app(kProgramHelp, "headway");
    app.get_formatter()->column_width(28);
    add_all_verbs(app, slots);

    std::vector<std::string> command;
    std::vector<std::string> words = split_command(argc, argv, command);
    if (words.empty()) {
        console.err << wrap_help(app.help(), help_columns(console));
        return stopped(kExitUsage);
    }
    if (words.front() == "help") words.front() = "--help";
    if (words.front() == "--version") words.front() = "version";
    if (const std::string mistake = unknown_verb(app, words); !mistake.empty()) {
        return stopped(complain(console, kExitUsage, mistake, "`headway --help` lists the verbs"));
    }
    try {
        std::reverse(words.begin(), words.end());  // CLI11 reads this vector from its end
        app.parse(std::move(words));
    } catch (const CLI::ParseError& error) {
        return report_parse_end(app, error, console);
    }
    if (!slots.command) return stopped(kExitUsage);
    if (auto* const run = std::get_if<RunOptions>(&*slots.command)) {
        run->command.insert(run->command.end(), command.begin(), command.end());
        if (run->command.empty()) {
            return stopped(complain(console, kExitUsage, "there is no command to run",
                                    "as in: headway run -- make -j2"));
        }
    }
    if (const auto done = complete(*slots.command, slots.client, console); !done) {
        const bool about_url = done.error().field == "--url";
        return stopped(complain(
            console, kExitUsage, done.error().detail,
            about_url ? "as in: --url http://127.0.0.1:7717" : next_step(done.error().field)));
    }
    return {std::move(slots.command), 0};
}

}  // namespace headway::cli
