// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "storage/damage/repair.hpp"
#include "storage/files/table_copy.hpp"
#include "storage/sqlite/sqlite_copy.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

// Repair, copy, backup and retention handle each table of the schema: no list can lack one.

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

constexpr SessionKey kNoSession = 99;

struct SchemaTable {
    std::string name;
    std::vector<std::pair<std::string, std::string>> columns;  ///< with their types

    /// Its rows belong to sessions.
    bool of_sessions() const {
        return std::find(columns.begin(), columns.end(),
                         std::pair<std::string, std::string>{"session", "INTEGER"}) !=
               columns.end();
    }
};

Database open_tables(const std::filesystem::path& file) {
    auto database = Database::open(file.string());
    require_ok(database);
    return *std::move(database);
}

std::vector<SchemaTable> tables_of(Database& database) {
    auto read = database.prepare(
        "SELECT t.name,c.name,c.type FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE "
        "t.type='table' ORDER BY t.name,c.cid");
    require_ok(read);
    std::vector<SchemaTable> tables;
    while (read->step().value()) {
        const std::string name{read->text(0)};
        if (tables.empty() || tables.back().name != name) tables.push_back({name, {}});
        tables.back().columns.emplace_back(read->text(1), read->text(2));
    }
    return tables;
}

/// The tables that a replay of the journal fills, and the journal itself.
bool is_of_journal(const std::string& table) {
    static const std::set<std::string> kJournal{"session", "journal", "mark", "event_id"};
    return kJournal.contains(table);
}

/// A row in each of the other tables; in those of sessions one of `session` and one of a session
/// that does not exist. Numbers are small, so that the row is of an early event.
void fill_tables(Database& database, SessionKey session) {
    for (const SchemaTable& table : tables_of(database)) {
        if (is_of_journal(table.name)) continue;
        for (const SessionKey key : {session, kNoSession}) {
            if (key == kNoSession && !table.of_sessions()) continue;
            std::string values;
            for (const auto& [name, type] : table.columns) {
                values += values.empty() ? "" : ",";
                const std::string number = std::to_string(key);
                values += type == "BLOB"   ? "x'0" + number.substr(0, 1) + "'"
                          : type == "TEXT" ? "'t" + number + "'"
                          : name == "session" || key == kNoSession ? number
                                                                   : "1";
            }
            const std::string sql = "INSERT INTO " + table.name + " VALUES(" + values + ")";
            INFO(sql);
            require_ok(database.execute(sql.c_str()));
        }
    }
}

/// The rows of a table as texts, sorted.
std::vector<std::string> texts_of(Database& database, const SchemaTable& table,
                                  std::string_view where) {
    std::string columns;
    for (const auto& column : table.columns)
        columns += (columns.empty() ? "quote(" : "||','||quote(") + column.first + ")";
    auto read = database.prepare("SELECT " + columns + " AS r FROM " + table.name +
                                 std::string{where} + " ORDER BY r");
    require_ok(read);
    std::vector<std::string> rows;
    while (read->step().value())
        rows.emplace_back(read->text(0));
    return rows;
}

std::int64_t count_of(Database& database, const std::string& table, SessionKey session) {
    return database
        .query_integer("SELECT count(*) FROM " + table +
                       " WHERE session=" + std::to_string(session))
        .value();
}

/// A session that has ended, and a row of it in each table.
SessionKey fill_all_tables(const std::filesystem::path& file) {
    SessionKey key = 0;
    {
        auto store = SqliteStore::open(file);
        require_ok(store);
        Session session{"s"};
        std::vector<Event> out;
        session.open({}, Policy{}, context(0), out);
        std::vector<Event> reported{beat(), ended(Outcome::kCompleted)};
        session.report(reported, context(10), out);
        Chain chain;
        require_ok((*store)->begin());
        key = (*store)->create("s", at(0)).value();
        require_ok((*store)->append(key, chain, out));
        require_ok((*store)->save(key, session, chain, {}));
        require_ok((*store)->set_snapshot_cursor((*store)->head()));
        require_ok((*store)->commit());
    }
    Database database = open_tables(file);
    fill_tables(database, key);
    return key;
}

}  // namespace

TEST_CASE("tables: a repair keeps the rows of each table, except those of sessions it has not",
          "[storage]") {
    const TempDir dir;
    const SessionKey key = fill_all_tables(dir.file());
    const auto repair = repair_database(dir.file());
    require_ok(repair);
    REQUIRE(repair->sessions == 1);
    Database before = open_tables(repair->damaged);
    Database after = open_tables(dir.file());
    for (const SchemaTable& table : tables_of(before)) {
        // The index is rebuilt at the start, and `meta` has new rows.
        if (is_of_journal(table.name) || table.name == "session_index") continue;
        INFO(table.name);
        if (table.name == "meta") {
            CHECK(texts_of(after, table, " WHERE name='t1'").size() == 1);
        } else if (table.of_sessions()) {
            const std::string own = " WHERE session=" + std::to_string(key);
            CHECK(texts_of(after, table, own) == texts_of(before, table, own));
            CHECK(count_of(after, table.name, kNoSession) == 0);
        } else {
            CHECK(texts_of(after, table, "") == texts_of(before, table, ""));
        }
    }
}

TEST_CASE("tables: a copy has each row and column, except those of sessions that are being deleted",
          "[storage]") {
    const TempDir dir;
    fill_all_tables(dir.file("from.db"));
    require_ok(SqliteStore::open(dir.file("to.db")));
    Database from = open_tables(dir.file("from.db"));
    Database to = open_tables(dir.file("to.db"));
    require_ok(copy_tables(from, to, []() -> Result<> { return {}; }));
    for (const SchemaTable& table : tables_of(from)) {
        INFO(table.name);
        if (is_of_journal(table.name)) {
            CHECK(texts_of(to, table, "").empty());
        } else if (table.name == "meta") {
            CHECK(texts_of(to, table, "").size() == 1);
        } else {
            const std::string own =
                table.of_sessions() ? " WHERE session<>" + std::to_string(kNoSession) : "";
            CHECK(texts_of(to, table, "") == texts_of(from, table, own));
        }
    }
}

TEST_CASE("tables: a backup has each row of each table", "[storage]") {
    const TempDir dir;
    fill_all_tables(dir.file());
    {
        auto store = SqliteStore::open(dir.file());
        require_ok(store);
        require_ok((*store)->backups().start_backup(dir.file("copy.db")));
        while (!(*store)->backups().step_backup(100).value().done) {
        }
    }
    Database from = open_tables(dir.file());
    Database to = open_tables(dir.file("copy.db"));
    for (const SchemaTable& table : tables_of(from)) {
        INFO(table.name);
        CHECK(texts_of(to, table, "") == texts_of(from, table, ""));
    }
}

TEST_CASE("tables: a forgotten session has no row in any of them, and its key is free again",
          "[storage]") {
    const TempDir dir;
    const SessionKey key = fill_all_tables(dir.file());
    {
        auto store = SqliteStore::open(dir.file());
        require_ok(store);
        require_ok((*store)->recover());
        require_ok((*store)->begin());
        require_ok((*store)->forget(key));
        require_ok((*store)->commit());
        int steps = 0;
        while ((*store)->delete_some(kNever).value().more)
            REQUIRE(++steps < 50);
        require_ok((*store)->begin());
        CHECK((*store)->create("next", at(0)).value() == key);
        CHECK((*store)->estimates().take_estimates(key).value().empty());
        (*store)->rollback();
    }
    Database database = open_tables(dir.file());
    for (const SchemaTable& table : tables_of(database)) {
        INFO(table.name);
        if (table.of_sessions()) CHECK(count_of(database, table.name, key) == 0);
    }
    CHECK(database.query_integer("SELECT count(*) FROM meta WHERE name LIKE 'forget%'").value() ==
          0);
}

TEST_CASE("tables: a session that is opened after a repair is not forgotten in place of an old one",
          "[storage]") {
    const TempDir dir;
    const SessionKey key = fill_all_tables(dir.file());
    {
        auto store = SqliteStore::open(dir.file());
        require_ok(store);
        require_ok((*store)->recover());
        require_ok((*store)->begin());
        require_ok((*store)->forget(key));
        require_ok((*store)->commit());
        REQUIRE((*store)->delete_some(kNever).value().doomed == key);
    }
    SECTION("a repair") {
        require_ok(repair_database(dir.file()));
    }
    SECTION("a copy") {
        require_ok(SqliteStore::open(dir.file("to.db")));
        Database from = open_tables(dir.file());
        Database to = open_tables(dir.file("to.db"));
        require_ok(copy_tables(from, to, []() -> Result<> { return {}; }));
        from = Database{};
        to = Database{};
        std::filesystem::rename(dir.file("to.db"), dir.file());
    }
    Database database = open_tables(dir.file());
    CHECK(database.query_integer("SELECT count(*) FROM meta WHERE name LIKE 'forget%'").value() ==
          0);
}
