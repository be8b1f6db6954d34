// SPDX-License-Identifier: Apache-2.0
#include "config/load/toml_source.hpp"

// No setting lies deeper, and toml++ destroys by recursion what it has read.
#define TOML_MAX_NESTED_VALUES 16
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include "config/load/keys.hpp"
#include "config/load/long_keys.hpp"
#include "config/load/named_table.hpp"
#include "config/values/read_file.hpp"
#include "core/text/suggest.hpp"
#include "core/text/words.hpp"

// The only user of toml++.

namespace headway::config {
namespace {

std::string_view expected(Kind kind) {
    switch (kind) {
        case Kind::kText:
        case Kind::kWord:
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

/// Nothing for what no key takes, such as a date, or a list of lists.
std::optional<Value> value_of(const toml::node& node) {
    if (const auto* text = node.as_string()) return Value(text->get());
    if (const auto* number = node.as_integer()) return Value(number->get());
    if (const auto* number = node.as_floating_point()) return Value(number->get());
    if (const auto* on = node.as_boolean()) return Value(on->get());
    const toml::array* const list = node.as_array();
    if (list == nullptr) return std::nullopt;
    Value::List items;
    for (const toml::node& item : *list) {
        if (!item.is_string()) return std::nullopt;
        items.push_back(item.as_string()->get());
    }
    return Value(std::move(items));
}

bool fits(const Value& value, Kind kind) {
    const bool text = value.is<std::string>();
    const bool whole = value.is<std::int64_t>();
    switch (kind) {
        case Kind::kText:
            return text;
        case Kind::kWord:
            return text || value.is<bool>();
        case Kind::kTextList:
            return value.is<Value::List>();
        case Kind::kCount:
            return whole;
        case Kind::kDuration:
            return text || whole;  // a number gets the sentence about units
        case Kind::kNumber:
            return whole || value.is<double>();
    }
    return false;
}

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
        for (const AnyNamedTable* const table : named_tables()) {
            const std::string_view name = table->words().path;
            if (name.find('.') == name.npos) sections_.push_back(name);
        }
    }

    void read(const toml::table& root) {
        for (const auto& [key, node] : root) {
            const std::string_view name = key.str();  // a binding is no capture of a lambda
            const auto tables = named_tables();
            const auto free =
                std::find_if(tables.begin(), tables.end(),
                             [&](const AnyNamedTable* kind) { return kind->words().path == name; });
            if (free != tables.end()) {
                read_named(**free, node);
                continue;
            }
            const bool known =
                std::find(sections_.begin(), sections_.end(), name) != sections_.end();
            if (known && node.is_table()) {
                read_section(name, *node.as_table());
            } else if (known) {
                mistake(node, "`" + std::string(name) + "` is a section; write [" +
                                  std::string(name) + "]");
            } else if (node.is_table()) {
                mistake(node, "unknown section `" + std::string(name) + "`" +
                                  core::did_you_mean(name, sections_));
            } else {
                unknown_key(node, std::string(name));
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
            const auto tables = named_tables();
            const auto free = std::find_if(
                tables.begin(), tables.end(),
                [&dotted](const AnyNamedTable* kind) { return kind->words().path == dotted; });
            if (free != tables.end()) {
                read_named(**free, node);
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

    void read_named(const AnyNamedTable& kind, const toml::node& tables) {
        const TableWords& words = kind.words();
        const std::string prefix{words.path};
        if (!tables.is_table()) {
            mistake(tables, "`" + prefix + "` holds a table for each " + std::string(words.entry) +
                                "; write [" + prefix + "." + std::string(words.example) + "]");
            return;
        }
        std::map<std::string, std::string> seen;  // by the name without regard to case
        for (const auto& [name, node] : *tables.as_table()) {
            const std::string table = prefix + "." + std::string(name.str());
            const auto [first, added] = seen.try_emplace(core::lower(name.str()), table);
            if (!added) mistake(node, "`" + table + "` is the same as `" + first->second + "`");
            if (!node.is_table() && !words.alone.empty()) {
                read_named_key(kind, table, words.alone, node);
                continue;
            }
            if (!node.is_table()) {
                std::string text = "`" + table + "` is a section; write [";
                mistake(node, text.append(table).append("]"));
                continue;
            }
            if (words.needs_keys && node.as_table()->empty()) mistake(node, table + " is empty");
            for (const auto& [key, value] : *node.as_table()) {
                read_named_key(kind, table, key.str(), value);
                const std::string longer =
                    std::string(words.optional_prefix) + std::string(key.str());
                if (words.optional_prefix.empty() || !node.as_table()->contains(longer)) continue;
                std::string same = "`" + table + ".";
                same.append(key.str()).append("` is the same as `").append(table).append(".");
                mistake(value, same.append(longer).append("`"));
            }
        }
    }

    void read_named_key(const AnyNamedTable& kind, const std::string& table, std::string_view name,
                        const toml::node& node) {
        std::string dotted = table + "." + std::string(name);
        if (const auto known = kind.kind_of(name)) {
            take_value(node, std::move(dotted), *known);
        } else {
            mistake(node,
                    "unknown key `" + dotted + "`" + core::did_you_mean(name, kind.key_names()));
        }
    }

    void take_value(const toml::node& node, std::string dotted, Kind kind) {
        std::optional<Value> value = value_of(node);
        if (value && fits(*value, kind)) {
            out_.values.push_back({std::move(dotted), *std::move(value), where(node)});
        } else {
            mistake(node, dotted + ": expected " + std::string(expected(kind)));
        }
    }

    void unknown_key(const toml::node& node, const std::string& name) {
        mistake(node, "unknown key `" + name + "`" + hint_about(name));
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
    std::error_code ec;
    if (std::filesystem::is_directory(path, ec)) {  // it would read as an empty file
        FileValues out;
        out.mistakes.push_back(path.string() + ": is a folder; name the file in it");
        return out;
    }
    Reader reader(path.string());
    const auto text = read_file(path);
    if (!text) {
        FileValues out;
        out.mistakes.push_back(path.string() + ": cannot be read; is it a file of this user's?");
        return out;
    }
    if (const auto line = line_of_long_key(*text)) {
        FileValues out;
        out.mistakes.push_back(path.string() + ":" + std::to_string(*line) +
                               ": a key of more than " + std::to_string(kKeyPartsMax) +
                               " parts; no setting has one");
        return out;
    }
    try {
        reader.read(toml::parse(*text, path.string()));
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
