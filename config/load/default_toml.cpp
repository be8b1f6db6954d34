// SPDX-License-Identifier: Apache-2.0
#include "config/load/keys.hpp"
#include "config/load/named_table.hpp"

// The text of config/default.toml, from the table of keys; a test compares it with the file byte
// for byte.

namespace headway::config {

std::string toml_literal(const Key& key, const Settings& settings) {
    return key.print(settings).toml();
}

std::string waiting_for_restart(const Settings& running, const Settings& loaded) {
    std::string names;
    for (const Key& key : keys()) {
        if (key.reloadable || key.print(running) == key.print(loaded)) continue;
        if (!names.empty()) names += ", ";
        names += key.name;
    }
    const auto add = [&names](bool differs, const char* name) {
        if (differs) names += (names.empty() ? "" : ", ") + std::string{name};
    };
    add(running.judge.endpoints != loaded.judge.endpoints, "judge.endpoints");
    add(running.webhooks.endpoints != loaded.webhooks.endpoints, "webhooks.endpoints");
    return names;
}

std::string default_toml() {
    const Settings defaults;
    std::string text =
        "# Headway's settings, every key with its default. Flags win over the environment\n"
        "# (HEADWAY_SERVER_LISTEN, or HEADWAY_SERVER_LISTEN_FILE to read the value from a file), "
        "the\n"
        "# environment wins over this file. Check with `headway config check`. (reload) marks "
        "what\n"
        "# takes effect on SIGHUP; the rest needs a restart. Durations: 500ms, 10s, 2m, 12h, "
        "30d.\n";
    std::string section;
    for (const Key& key : keys()) {
        const std::size_t dot = key.name.rfind('.');
        if (section != key.name.substr(0, dot)) {
            for (const AnyNamedTable* const table : named_tables()) {
                const std::string_view path = table->words().path;
                const std::size_t last = path.rfind('.');
                if (last != path.npos && path.substr(0, last) == section)
                    text += table->words().help;
            }
            section = key.name.substr(0, dot);
            text += "\n[" + section + "]\n";
        }
        std::string notes = key.range;
        if (key.reloadable) notes += notes.empty() ? "reload" : "; reload";
        text += "# " + key.help + (notes.empty() ? "" : " (" + notes + ")");
        text += "\n" + key.name.substr(dot + 1) + " = " + toml_literal(key, defaults) + "\n";
    }
    return text;
}

}  // namespace headway::config
