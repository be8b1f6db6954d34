// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "config/budget_keys.hpp"
#include "config/keys.hpp"

// The text of config/default.toml, from the table of keys; a test compares it with the file byte
// for byte.

namespace headway::config {
namespace {

constexpr const char* kAgentsHelp =
    "\n# Each agent type may have a table with these default_ limits (reload); what it leaves out "
    "is "
    "as\n# above. Types are compared without regard to case.";

constexpr const char* kEndpointsHelp = R"(
# Each model that may be asked has a table; without one nothing is ever asked. Any server with
# OpenAI's chat completions will do. The first endpoint of each role is asked. An example, with
# every key:
# [judge.endpoints.local]
# role = "primary"                        # primary | confirm: the second opinion
# base_url = "http://127.0.0.1:8080/v1"   # what comes before /chat/completions
# model = "qwen2.5-7b-instruct"
# api_key_env = "JUDGE_API_KEY"           # variable with the key; or api_key_file, or api_key
# headers = ["X-Team: agents"]            # sent with each request
# ca_file = "/etc/ssl/judge.pem"          # authorities to trust; the system's without
# tls_verify = "on"                       # on | off
# concurrency = 1                         # questions at once, 1..1024
# prompt_usd_per_million = 0              # tokens, for the costs that are shown
# completion_usd_per_million = 0
)";

constexpr const char* kWebhooksHelp = R"(
# Each receiver has a table; without one no message is sent. Messages are signed as Standard Webhooks
# says. An example, with every key and the defaults of the last ones:
# [webhooks.endpoints.ops]
# url = "https://ops.example.com/headway"
# secret_file = "/etc/headway/ops.secret" # or secret_env; `headway webhooks secret` makes one. Several,
#                                         # one a line, all sign: so a secret is replaced without a gap
# events = ["approval.requested", "approval.expired", "approval.alarm", "verdict.changed", "budget.level", "session.ended"]
# verdicts = ["blocked", "stuck", "silent"] # of verdict.changed; of budget.level critical and worse
# allow_private_addresses = "off"         # on | off: may it lie in a private network or on this machine?
# ca_file = "/etc/ssl/ops.pem"            # authorities to trust; the system's without
# timeout = "15s"                         # of a delivery, 100ms..1m
# connect_timeout = "5s"                  # 100ms..1m
)";

std::string quoted(std::string_view text) {
    std::string literal = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(byte));
            literal += escape;
            continue;
        }
        if (c == '"' || c == '\\') literal += '\\';
        literal += c;
    }
    return literal + '"';
}

}  // namespace

std::string toml_literal(const Key& key, const Settings& settings) {
    std::string text = key.print(settings);
    if (key.kind == Kind::kCount || key.kind == Kind::kNumber) return text;
    if (key.kind != Kind::kTextList) return quoted(text);

    std::string list;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        if (!list.empty()) list += ", ";
        list += quoted(std::string_view(text).substr(begin, comma - begin));
        begin = comma + 1;
    }
    return "[" + list + "]";
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
            if (section == "budget") text += kAgentsHelp + agent_tables(defaults);
            if (section == "judge") text += kEndpointsHelp;
            if (section == "webhooks") text += kWebhooksHelp;
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
