// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/load/row.hpp"
#include "config/settings/settings.hpp"
#include "core/text/words.hpp"

// User-named tables: [judge.endpoints.NAME], [webhooks.endpoints.NAME], [budget.agents.TYPE] and
// others. Each kind of table is one NamedTable, which has the rows of its entries; load.cpp and the
// TOML reader use only AnyNamedTable.

namespace headway::config {

/// Texts about a kind of table.
struct TableWords {
    std::string_view path;               ///< such as "judge.endpoints"
    std::string_view entry;              ///< name of the thing that a table defines: "endpoint"
    std::string_view example;            ///< an example of a name
    std::string_view bad_name;           ///< the sentence about a name that is refused
    std::string_view too_many;           ///< the sentence about an entry beyond the maximum
    std::string_view optional_prefix{};  ///< prefix that may be left out of a key; empty: none
    bool needs_keys = true;              ///< a table without keys is a mistake
    std::string_view help{};             ///< text in default.toml, after the keys of the section
    /// The key that is set if a file has a plain value in place of the table; or empty.
    std::string_view alone{};
};

/// One value of an entry.
struct NamedValue {
    std::string name;  ///< dotted
    Value value;
};

class AnyNamedTable {
public:
    explicit AnyNamedTable(const TableWords& words) : words_(words) {}
    AnyNamedTable(const AnyNamedTable&) = delete;
    AnyNamedTable& operator=(const AnyNamedTable&) = delete;
    virtual ~AnyNamedTable() = default;

    const TableWords& words() const noexcept { return words_; }

    /// True if `dotted` names a value of an entry: "judge.endpoints.NAME.KEY" with a key of this
    /// table.
    bool owns(std::string_view dotted) const;

    /// The kind of a key; nothing for an unknown key.
    virtual std::optional<Kind> kind_of(std::string_view key) const = 0;
    /// Keys that a table of this kind may have.
    virtual std::vector<std::string_view> key_names() const = 0;
    /// Parses, checks and stores one value; adds the entry if it is new. Returns the name that the
    /// value has in values(). Error: kInvalidConfig; nothing is stored.
    virtual core::Result<std::string> assign(Settings& settings, std::string_view dotted,
                                             const Value& value) const = 0;
    /// Mistakes that concern an entry as a whole, so that the checks of single values cannot find
    /// them. One sentence each.
    virtual std::vector<std::string> mistakes_in(const Settings& settings) const = 0;
    /// Every value that is not the default.
    virtual std::vector<NamedValue> values(const Settings& settings) const = 0;

    /// A key of the table as written in a file: the entry's name is in quotes, unless TOML accepts
    /// it as a bare key.
    std::string toml_key(std::string_view dotted) const;

protected:
    /// Views into the dotted name; `name` may contain dots.
    struct Parts {
        std::string_view name;
        std::string_view key;
    };
    std::optional<Parts> parts_of(std::string_view dotted) const;
    bool is_called(const std::string& row, std::string_view key) const;
    std::string dotted(std::string_view name) const;

private:
    TableWords words_;
};

/// Every kind of user-named table. Any thread.
std::span<const AnyNamedTable* const> named_tables();

/// The table that owns `dotted`, or null. Any thread.
const AnyNamedTable* find_named_table(std::string_view dotted);

/// True for a name of 1 to 128 characters, all of them a-z, 0-9, `_` or `-`. Such a name needs no
/// quotes in TOML. Pure.
bool is_plain_name(std::string_view name);

inline constexpr std::string_view kBadEndpointName =
    "an endpoint's name is of a-z, 0-9, _ and -, at most 128 of them";

/// Entries of type T, identified by `Name`, in the vector at `Path`.
template <class T, std::string T::*Name, auto... Path>
class NamedTable final : public AnyNamedTable {
public:
    struct Rules {
        std::vector<Row<T>> rows;
        std::size_t entries_max = 0;
        bool (*is_name)(std::string_view name) = is_plain_name;
        /// Finds mistakes in an entry, except missing values: " has both of a and b". Null: no such
        /// check.
        std::vector<std::string> (*mistakes)(const T& entry) = nullptr;
    };

    NamedTable(const TableWords& words, Rules rules)
        : AnyNamedTable(words), rules_(std::move(rules)) {}

    std::optional<Kind> kind_of(std::string_view key) const override {
        const Row<T>* const row = find_row(key);
        return row == nullptr ? std::nullopt : std::optional{row->kind};
    }

    std::vector<std::string_view> key_names() const override {
        std::vector<std::string_view> names;
        for (const Row<T>& row : rules_.rows)
            names.push_back(row.name);
        for (const Row<T>& row : rules_.rows) {
            if (const std::size_t prefix = words().optional_prefix.size(); prefix > 0)
                names.push_back(std::string_view(row.name).substr(prefix));
        }
        return names;
    }

    core::Result<std::string> assign(Settings& settings, std::string_view dotted_name,
                                     const Value& value) const override {
        const std::optional<Parts> parts = parts_of(dotted_name);
        const Row<T>* const row = parts ? find_row(parts->key) : nullptr;
        if (row == nullptr) return mistake("unknown key");
        if (!rules_.is_name(parts->name)) return mistake(std::string(words().bad_name));
        std::vector<T>& entries = member<Path...>(settings);
        const std::string name = core::lower(parts->name);
        const auto found = std::find_if(entries.begin(), entries.end(), [&name](const T& entry) {
            return core::lower(entry.*Name) == name;
        });
        if (found != entries.end()) {
            HEADWAY_CHECK(row->assign(*found, value));
            return dotted((*found).*Name) + "." + row->name;
        }
        if (entries.size() == rules_.entries_max) return mistake(std::string(words().too_many));
        T added;
        added.*Name = parts->name;
        HEADWAY_CHECK(row->assign(added, value));  // comes first, so that a mistake adds no entry
        entries.push_back(std::move(added));
        return dotted(parts->name) + "." + row->name;
    }

    std::vector<std::string> mistakes_in(const Settings& settings) const override {
        std::vector<std::string> mistakes;
        const T empty;
        for (const T& entry : member<Path...>(settings)) {
            const std::string table = dotted(entry.*Name);
            for (const Row<T>& row : rules_.rows) {
                if (row.required && row.print(entry) == row.print(empty))
                    mistakes.push_back(table + " has no " + row.name);
            }
            if (rules_.mistakes == nullptr) continue;
            for (const std::string& text : rules_.mistakes(entry))
                mistakes.push_back(table + text);
        }
        return mistakes;
    }

    std::vector<NamedValue> values(const Settings& settings) const override {
        std::vector<NamedValue> values;
        const T defaults;
        for (const T& entry : member<Path...>(settings)) {
            for (const Row<T>& row : rules_.rows) {
                Value value = row.print(entry);
                if (value == row.print(defaults)) continue;
                values.push_back({dotted(entry.*Name) + "." + row.name, std::move(value)});
            }
        }
        return values;
    }

private:
    const Row<T>* find_row(std::string_view key) const {
        const auto found =
            std::find_if(rules_.rows.begin(), rules_.rows.end(),
                         [this, key](const Row<T>& row) { return is_called(row.name, key); });
        return found == rules_.rows.end() ? nullptr : &*found;
    }

    Rules rules_;
};

}  // namespace headway::config
