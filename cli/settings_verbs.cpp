// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/daemon.hpp"
#include "cli/exit_code.hpp"
#include "cli/verbs.hpp"
#include "config/keys.hpp"
#include "core/version.hpp"

// `headway config` and `headway version`: nothing here talks to a daemon.

namespace headway::cli {
namespace {

using nlohmann::json;

void print_mistakes(const std::string& detail, const Console& console, bool as_json) {
    if (!as_json) {
        console.err << detail << "\n";
        return;
    }
    json mistakes = json::array();
    for (std::size_t begin = 0; begin <= detail.size();) {
        const std::size_t end = std::min(detail.find('\n', begin), detail.size());
        mistakes.push_back(detail.substr(begin, end - begin));
        begin = end + 1;
    }
    console.out << dump({{"ok", false}, {"mistakes", mistakes}}) << "\n";
}

void show(const config::Loaded& loaded, const ConfigOptions& options, const Console& console) {
    if (options.json) {
        json all = json::object();
        for (const config::KeyOrigin& key : loaded.keys) {
            all[key.key] = {{"value", key.value}, {"origin", key.origin}};
        }
        console.out << dump(all, 2) << "\n";
        return;
    }
    // In the order of the table, which is the order of default.toml.
    for (const config::Key& key : config::keys()) {
        console.out << key.name << " = " << config::toml_literal(key, loaded.settings);
        for (const config::KeyOrigin& known : loaded.keys) {
            if (options.origin && known.key == key.name) console.out << "  # " << known.origin;
        }
        console.out << "\n";
    }
    for (const config::KeyOrigin& key : loaded.keys) {  // of tables with free names
        if (config::find_key(key.key) != nullptr) continue;
        console.out << key.key << " = " << key.value;
        if (options.origin) console.out << "  # " << key.origin;
        console.out << "\n";
    }
}

}  // namespace

int check_config(const ConfigOptions& options, const Console& console) {
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
    const std::string file = loaded->file ? loaded->file->string() : "";
    if (options.json) {
        console.out << dump({{"ok", true}, {"file", file.empty() ? json() : json(file)}}) << "\n";
    } else {
        console.out << "ok: " << (file.empty() ? "no file, defaults and environment" : file)
                    << "\n";
    }
    return kExitOk;
}

int print_version(const VersionOptions& options, const Console& console) {
    const core::VersionInfo& info = core::version();
    if (options.json) {
        const json all = {
            {"version", info.version}, {"git", info.git}, {"compiler", info.compiler}};
        console.out << dump(all) << "\n";
    } else {
        console.out << "headway " << info.version << " (" << info.git << ", " << info.compiler
                    << ")\n";
    }
    return kExitOk;
}

}  // namespace headway::cli
