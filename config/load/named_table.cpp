// SPDX-License-Identifier: Apache-2.0
#include "config/load/named_table.hpp"

#include <algorithm>
#include <array>

#include "config/load/sections.hpp"
#include "core/base/limits.hpp"
#include "core/text/words.hpp"

namespace headway::config {

bool AnyNamedTable::owns(std::string_view dotted) const {
    const std::optional<Parts> parts = parts_of(dotted);
    return parts && kind_of(parts->key);
}

std::optional<AnyNamedTable::Parts> AnyNamedTable::parts_of(std::string_view dotted) const {
    const std::string prefix = this->dotted("");
    if (!dotted.starts_with(prefix)) return std::nullopt;
    dotted.remove_prefix(prefix.size());
    const std::size_t dot = dotted.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    return Parts{dotted.substr(0, dot), dotted.substr(dot + 1)};
}

std::string AnyNamedTable::toml_key(std::string_view dotted) const {
    const auto parts = parts_of(dotted);
    if (!parts) return std::string(dotted);
    const bool bare =
        !parts->name.empty() && std::all_of(parts->name.begin(), parts->name.end(),
                                            [](char c) { return core::is_word(c) || c == '-'; });
    return this->dotted(bare ? std::string(parts->name) : Value(parts->name).toml())
        .append(".")
        .append(parts->key);
}

bool AnyNamedTable::is_called(const std::string& row, std::string_view key) const {
    return row == key || row == std::string(words_.optional_prefix).append(key);
}

std::string AnyNamedTable::dotted(std::string_view name) const {
    return std::string(words_.path).append(".").append(name);
}

std::span<const AnyNamedTable* const> named_tables() {
    static const std::array<const AnyNamedTable*, 5> kTables{
        &agent_table(), &day_label_table(), &price_table(), &judge_table(), &webhook_table()};
    return kTables;
}

const AnyNamedTable* find_named_table(std::string_view dotted) {
    for (const AnyNamedTable* const table : named_tables()) {
        if (table->owns(dotted)) return table;
    }
    return nullptr;
}

bool is_plain_name(std::string_view name) {
    return !name.empty() && name.size() <= core::limits::kLabelBytesMax &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return core::is_digit(c) || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
           });
}

}  // namespace headway::config
