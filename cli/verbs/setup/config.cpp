// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/setup/config.hpp"

#include <ostream>

#include "cli/app.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "config/load/keys.hpp"
#include "core/text/visible.hpp"

// `headway config`: nothing here talks to a daemon.

namespace headway::cli {
namespace {

void print_mistakes(const std::string& detail, const Console& console, bool as_json) {
    if (!as_json) {
        console.err << detail << "\n";
        return;
    }
    Json mistakes = Json::array();
    for (const std::string& mistake : lines_of(detail))
        mistakes.push_back(mistake);
    console.out << dump({{"ok", false}, {"mistakes", mistakes}}) << "\n";
}

void show(const config::Loaded& loaded, const ConfigOptions& options, const Console& console) {
    if (options.json) {
        Json all = Json::object();
        for (const config::KeyOrigin& key : loaded.keys) {
            all[key.key] = {{"value", key.value}, {"origin", key.origin}};
        }
        console.out << dump(all, 2) << "\n";
        return;
    }
    const auto print = [&](const config::KeyOrigin& key) {
        console.out << key.toml_key << " = " << key.toml;
        if (options.origin) console.out << "  # " << key.origin;
        console.out << "\n";
    };
    // In the order of the table, which is the order of default.toml.
    for (const config::Key& key : config::keys()) {
        for (const config::KeyOrigin& known : loaded.keys) {
            if (known.key == key.name) print(known);
        }
    }
    for (const config::KeyOrigin& key : loaded.keys) {  // of tables with free names
        if (config::find_key(key.key) == nullptr) print(key);
    }
}

int check_config(const ConfigOptions& options, const Server& server, const Console& console) {
    if (options.action == ConfigOptions::Action::kDefault) {
        console.out << config::default_toml();
        return kExitOk;
    }
    const core::Result<config::Loaded> loaded = config::load(options.sources);
    if (!loaded) {
        print_mistakes(loaded.error().detail, console, options.json);
        return kExitConfig;
    }
    if (options.action == ConfigOptions::Action::kShow) {
        show(*loaded, options, console);
        return kExitOk;
    }
    const std::string& store = loaded->settings.storage.store;
    if (!store.empty()) {
        // Nothing is connected to: settings may be checked on another machine.
        const auto found = server.probe_store(store, false);
        if (!found) {
            print_mistakes(found.error().detail, console, options.json);
            return kExitConfig;
        }
    }
    if (const auto good = server.check_settings(loaded->settings, options.sources.environment);
        !good) {
        const core::Error& error = good.error();
        const bool named = error.detail.find(error.field) != error.detail.npos;
        std::string mistakes;
        for (const std::string& line : lines_of((named ? "" : error.field + ": ") + error.detail))
            mistakes += (mistakes.empty() ? "" : "\n") + core::visible(line);
        print_mistakes(mistakes, console, options.json);
        return kExitConfig;
    }
    const std::string file = loaded->file ? loaded->file->string() : "";
    if (options.json) {
        console.out << dump({{"ok", true}, {"file", file.empty() ? Json() : Json(file)}}) << "\n";
    } else {
        console.out << "ok: " << (file.empty() ? "no file, defaults and environment" : file)
                    << "\n";
    }
    return kExitOk;
}

class Config : public VerbOf<ConfigOptions> {
public:
    void declare(Arguments& arguments) override {
        using Action = ConfigOptions::Action;
        arguments.help("Check or print the daemon's settings");
        arguments.footer(
            R"(`check` also looks for the files, folders, group and PostgreSQL module that the settings name, so run
it on the daemon's machine as the daemon's user. It does not connect to the database; `headway doctor` connects.

Order of precedence: flags, HEADWAY_* variables, the settings file, the defaults.

Examples:
  headway config check --config headway.toml         exit code 0, or 2 and a list of mistakes
  headway config show --origin                       each value and where it comes from
  headway config default > headway.toml              a file to start from)");
        declare_reading(arguments.verb(
            "check", "Check the settings file and the HEADWAY_* variables", on(Action::kCheck)));
        Arguments show = arguments.verb("show", "Print the settings in force", on(Action::kShow));
        declare_reading(show);
        show.flag("--origin", options.origin, "print the source of each value");
        arguments.verb("default", "Print a settings file with every default and its explanation",
                       on(Action::kDefault));
    }

    int run(const Console& console, const Server& server) override {
        return check_config(options, server, console);
    }

private:
    std::function<void()> on(ConfigOptions::Action action) {
        return [this, action] { options.action = action; };
    }

    void declare_reading(Arguments arguments) {
        arguments.daemon_settings(options.sources);
        arguments.json(options.json);
    }
};

}  // namespace

std::unique_ptr<Verb> make_config() {
    return std::make_unique<Config>();
}

}  // namespace headway::cli
