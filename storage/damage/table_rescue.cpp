// SPDX-License-Identifier: Apache-2.0
#include "storage/damage/table_rescue.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "storage/files/table_copy.hpp"

namespace headway::storage {
namespace {

/// With the column names that the damaged database states.
std::string insert_like(const Statement& row, std::string_view table) {
    std::string names;
    std::string values;
    for (int i = 0; i < row.columns(); ++i) {
        names.append(i == 0 ? "" : ",").append(row.column_name(i));
        values.append(i == 0 ? "?" : ",?").append(std::to_string(i + 1));
    }
    return "INSERT OR IGNORE INTO " + std::string{table} + "(" + names + ") VALUES(" + values + ")";
}

void rescue_table(std::string_view table, Database& from, Database& to) {
    auto all = from.prepare("SELECT * FROM " + std::string{table});
    if (!all) return;
    std::optional<Statement> add;
    (void)to.execute("BEGIN");
    while (true) {
        const auto row = all->step();
        if (!row || !*row) break;  // everything behind the damage is lost
        if (!add) {
            auto insert = to.prepare(insert_like(*all, table));
            if (!insert) break;
            add = *std::move(insert);
        }
        add->bind_row(*all);
        (void)add->run();
    }
    (void)to.execute("COMMIT");
}

}  // namespace

void rescue_tables(Database& from, Database& to) {
    for (const std::string_view table : copied_tables()) {
        if (table != "session_index") rescue_table(table, from, to);
    }
    // Keys of sessions that are lost are used again: nothing of them may go on.
    std::string sql =
        "DELETE FROM meta WHERE name IN('snapshot_cursor','snapshot_check') OR (name LIKE "
        "'forget:%' AND substr(name,8) NOT IN (SELECT CAST(key AS TEXT) FROM session));";
    for (const std::string_view table : tables_of_sessions())
        sql += "DELETE FROM " + std::string{table} +
               " WHERE session NOT IN (SELECT key FROM session);";
    (void)to.execute(sql.c_str());
}

}  // namespace headway::storage
