// SPDX-License-Identifier: Apache-2.0
#include "config/toml_source.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "config/budget_keys.hpp"
#include "config/judge_keys.hpp"
#include "config/keys.hpp"
#include "config/webhook_keys.hpp"
#include "core/suggest.hpp"

// The only user of toml++.

namespace headway::config {
namespace {

std::string_view expected(Kind kind) {
    switch (kind) {
        case Kind::kText:
            return "a string, as \"text\"";
        case Kind::kTextList:
            return "a list of strings, as [\"a\", \"b\"]";
        case Kind::kCount:
            return "a whole number";
        case Kind::kDuration:
            return "a duration, as \"10s\"";
        case Kind::kNumber:
            return "a number";
    }
    return "another value";
}

std::optional<std::string> list_text(const toml::array& list) {
    std::string text;
    for (const toml::node& node : list) {
        const auto word = node.value_exact<std::string>();
        // Text lists are comma separated further on, so a comma inside a word cannot be passed.
        if (!word || word->find(',') != std::string::npos) return std::nullopt;
        if (!text.empty()) text += ',';
        text += *word;
    }
    return text;
}

std::optional<std::string> node_text(const toml::node& node, Kind kind) {
    const bool number = kind == Kind::kCount || kind == Kind::kDuration || kind == Kind::kNumber;
    if (number && node.is_integer()) return std::to_string(**node.as_integer());
    if (kind == Kind::kTextList) {
        return node.is_array() ? list_text(*node.as_array()) : std::nullopt;
    }
    if (kind == Kind::kNumber && node.is_floating_point()) {
        char digits[32];
        const auto end =
            std::to_chars(digits, digits + sizeof digits, **node.as_floating_point()).ptr;
        return std::string(digits, end);
    }
    // Of switches, whose words are "on" and "off".
    if (kind == Kind::kText && node.is_boolean()) return **node.as_boolean() ? "on" : "off";
    if (kind == Kind::kCount || kind == Kind::kNumber) return std::nullopt;
    return node.value_exact<std::string>();
}

/// A table of tables with free names.
struct Free {
    std::string_view table;
    std::string_view of;  ///< what each table is for
    std::string_view example;
    bool needs_keys;  ///< a table without any is a mistake
    bool (*knows)(std::string_view dotted);
    const std::vector<std::string_view>& (*names)();
    Kind (*kind)(std::string_view key);
};

constexpr std::array<Free, 3> kFree{
    {{"budget.agents", "agent type", "plan", false,
      [](std::string_view dotted) { return parse_agent_key(dotted).has_value(); }, agent_key_names,
      agent_key_kind},
     {"judge.endpoints", "endpoint", "local", true,
      [](std::string_view dotted) { return parse_endpoint_key(dotted).has_value(); },
      endpoint_key_names, endpoint_key_kind},
     {"webhooks.endpoints", "endpoint", "ops", true,
      [](std::string_view dotted) { return parse_webhook_key(dotted).has_value(); },
      webhook_key_names, webhook_key_kind}}};

/// Whether there are keys below a name with a dot: [policy.floor].
bool is_section(const std::string& dotted) {
    return std::any_of(keys().begin(), keys().end(),
                       [&](const Key& key) { return key.name.starts_with(dotted + "."); });
}

class Reader {
public:
    explicit Reader(std::string path) : path_(std::move(path)) {
        for (const Key& key : keys()) {
            const std::string_view section =
                std::string_view(key.name).substr(0, key.name.find('.'));
            if (sections_.empty() || sections_.back() != section) sections_.push_back(section);
        }
    }

    void read(const toml::table& root) {
        for (const auto& [name, node] : root) {
            const bool known =
                std::find(sections_.begin(), sections_.end(), name.str()) != sections_.end();
            if (known && node.is_table()) {
                read_section(name.str(), *node.as_table());
            } else if (known) {
                mistake(node, "`" + std::string(name.str()) + "` is a section; write [" +
                                  std::string(name.str()) + "]");
            } else if (node.is_table()) {
                mistake(node, "unknown section `" + std::string(name.str()) + "`" +
                                  core::did_you_mean(name.str(), sections_));
            } else {
                unknown_key(node, std::string(name.str()));
            }
        }
    }

    // toml++ keeps tables sorted by name; mistakes read better in the order of the file.
    FileValues take() {
        std::stable_sort(mistakes_.begin(), mistakes_.end(),
                         [](const Mistake& a, const Mistake& b) { return a.line < b.line; });
        for (Mistake& mistake : mistakes_)
            out_.mistakes.push_back(std::move(mistake.text));
        return std::move(out_);
    }

private:
    struct Mistake {
        std::uint32_t line = 0;
        std::string text;
    };

    void read_section(std::string_view section, const toml::table& table) {
        for (const auto& [name, node] : table) {
            std::string dotted = std::string(section) + "." + std::string(name.str());
            const auto free = std::find_if(kFree.begin(), kFree.end(), [&dotted](const Free& one) {
                return one.table == dotted;
            });
            if (free != kFree.end()) {
                read_free(*free, node);
                continue;
            }
            if (node.is_table() && is_section(dotted)) {
                read_section(dotted, *node.as_table());
                continue;
            }
            const Key* key = find_key(dotted);
            if (key == nullptr) {
                unknown_key(node, dotted);
                continue;
            }
            take_value(node, std::move(dotted), key->kind);
        }
    }

    void read_free(const Free& free, const toml::node& tables) {
        const std::string prefix{free.table};
        if (!tables.is_table()) {
            mistake(tables, "`" + prefix + "` holds a table for each " + std::string(free.of) +
                                "; write [" + prefix + "." + std::string(free.example) + "]");
            return;
        }
        for (const auto& [free_name, node] : *tables.as_table()) {
            const std::string table = prefix + "." + std::string(free_name.str());
            if (!node.is_table()) {
                std::string words = "`" + table + "` is a section; write [";
                mistake(node, words.append(table).append("]"));
                continue;
            }
            if (free.needs_keys && node.as_table()->empty()) mistake(node, table + " is empty");
            for (const auto& [name, value] : *node.as_table())
                read_free_key(free, table, name.str(), value);
        }
    }

    void read_free_key(const Free& free, const std::string& table, std::string_view name,
                       const toml::node& node) {
        std::string dotted = table + "." + std::string(name);
        if (free.knows(dotted)) {
            take_value(node, std::move(dotted), free.kind(name));
        } else {
            mistake(node, "unknown key `" + dotted + "`" + core::did_you_mean(name, free.names()));
        }
    }

    void take_value(const toml::node& node, std::string dotted, Kind kind) {
        if (auto text = node_text(node, kind)) {
            out_.values.push_back({std::move(dotted), *std::move(text), where(node)});
        } else {
            mistake(node, dotted + ": expected " + std::string(expected(kind)));
        }
    }

    void unknown_key(const toml::node& node, const std::string& name) {
        const std::vector<std::string_view> names = key_names();
        mistake(node, "unknown key `" + name + "`" + core::did_you_mean(name, names));
    }

    void mistake(const toml::node& node, const std::string& text) {
        mistakes_.push_back({node.source().begin.line, where(node) + ": " + text});
    }

    std::string where(const toml::node& node) const {
        return path_ + ":" + std::to_string(node.source().begin.line);
    }

    std::string path_;
    std::vector<std::string_view> sections_;
    std::vector<Mistake> mistakes_;
    FileValues out_;
};

}  // namespace

FileValues read_toml(const std::filesystem::path& path) {
    Reader reader(path.string());
    try {
        reader.read(toml::parse_file(path.string()));
    } catch (const toml::parse_error& error) {
        const auto line = error.source().begin.line;
        FileValues out;
        out.mistakes.push_back(path.string() + (line > 0 ? ":" + std::to_string(line) : "") + ": " +
                               std::string(error.description()));
        return out;
    }
    return reader.take();
}

}  // namespace headway::config
