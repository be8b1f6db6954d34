// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <string_view>

#include "config/load/sections.hpp"
#include "core/base/limits.hpp"

namespace headway::config {
namespace {

namespace limits = core::limits;

constexpr std::array<std::string_view, 2> kCaptures{"full", "digests"};

core::Result<Value::List> read_names(const Value& value) {
    HEADWAY_TRY(Value::List names, parse_list(value, limits::kSecretNamesMax, "names"));
    for (const std::string& word : names) {
        if (word.find_first_of("*?[]") != word.npos) {
            return mistake(in_quotes(word) +
                           " is a pattern, and no name would match it; write the end of the "
                           "names, as \"token\", which covers GITHUB_TOKEN");
        }
        // One or two letters would be the end of half of all names.
        if (word.size() >= limits::kSecretNameBytesMin) continue;
        return mistake(in_quotes(word) + " is too short; use names of at least " +
                       std::to_string(limits::kSecretNameBytesMin) + " letters");
    }
    return names;
}

core::Result<Value::List> read_agents(const Value& value) {
    return parse_list(value, limits::kAgentTypesMax, "agents");
}

template <auto Member>
Key names_key(std::string name, std::string help) {
    return value_row<read_names, &Settings::redaction, Member>(
        Kind::kTextList, "names", std::move(name), kReload, std::move(help));
}

}  // namespace

void add_redaction_keys(std::vector<Key>& table) {
    table.push_back(
        names_key<&RedactionSettings::secret_names>("redaction.secret_names",
                                                    "Values of these names are never kept, besides "
                                                    "those of password, token, api_key and such."));
    table.push_back(names_key<&RedactionSettings::plain_names>(
        "redaction.plain_names", "Names that only sound like a secret; their values are kept."));
    table.push_back(word_row<kCaptures, &Settings::redaction, &RedactionSettings::capture>(
        "redaction.capture", kReload,
        "full keeps prompts, messages, arguments and results of calls; digests only their "
        "digests."));
    table.push_back(value_row<read_agents, &Settings::redaction, &RedactionSettings::digest_agents>(
        Kind::kTextList, "names", "redaction.digest_agents", kReload,
        "Agents of which only digests are kept, by name, type or the name of their hooks: "
        "[\"claude\"]."));
}

}  // namespace headway::config
