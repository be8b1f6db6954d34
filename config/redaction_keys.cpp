// SPDX-License-Identifier: Apache-2.0
#include "config/redaction_keys.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/limits.hpp"

namespace headway::config {
namespace {

namespace limits = core::limits;

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> names;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        std::string_view name = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
        name = name.substr(0, name.find_last_not_of(' ') + 1);
        if (!name.empty()) names.emplace_back(name);
    }
    return names;
}

core::Error mistake(std::string detail) {
    return {core::ErrorCode::kInvalidConfig, std::move(detail), {}};
}

template <auto Member>
Key names_key(std::string name, std::string help) {
    Key key{std::move(name), Kind::kTextList, "names", true, std::move(help)};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        std::vector<std::string> names = split(text);
        if (names.size() > limits::kSecretNamesMax) {
            return mistake("more than " + std::to_string(limits::kSecretNamesMax) + " names");
        }
        for (const std::string& word : names) {
            // One or two letters would be the end of half of all names.
            if (word.size() >= limits::kSecretNameBytesMin) continue;
            return mistake("\"" + word + "\" is too short; use names of at least " +
                           std::to_string(limits::kSecretNameBytesMin) + " letters");
        }
        settings.redaction.*Member = std::move(names);
        return {};
    };
    key.print = [](const Settings& s) {
        std::string text;
        for (const std::string& word : s.redaction.*Member)
            text.append(text.empty() ? "" : ",").append(word);
        return text;
    };
    return key;
}

}  // namespace

void add_redaction_keys(std::vector<Key>& table) {
    table.push_back(
        names_key<&RedactionSettings::secret_names>("redaction.secret_names",
                                                    "Values of these names are never kept, besides "
                                                    "those of password, token, api_key and such."));
    table.push_back(names_key<&RedactionSettings::plain_names>(
        "redaction.plain_names", "Names that only sound like a secret; their values are kept."));
}

}  // namespace headway::config
