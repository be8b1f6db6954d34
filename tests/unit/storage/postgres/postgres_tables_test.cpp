// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/postgres_here.hpp"
#include "tests/support/postgres_writer.hpp"

// Retention and the import handle each table of the schema: no list can lack one.

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

struct PostgresTable {
    std::string name;
    std::vector<std::pair<std::string, std::string>> columns;  ///< with their types
    std::string numbered;                                      ///< the column that numbers its rows
    bool of_sessions = false;
};

std::vector<PostgresTable> tables_in(const PostgresHere& here) {
    PostgresConnection connection{{here.url()}};
    require_ok(connection.connect());
    auto rows = connection.ask(
        "SELECT table_name::text,column_name::text,data_type::text,is_identity::text FROM "
        "information_schema.columns WHERE table_schema=current_schema() ORDER BY "
        "table_name,ordinal_position");
    require_ok(rows);
    std::vector<PostgresTable> tables;
    for (int at = 0; at < rows->size(); ++at) {
        const std::string name{rows->bytes(at, 0)};
        if (tables.empty() || tables.back().name != name) tables.push_back({name, {}, {}, false});
        PostgresTable& table = tables.back();
        table.columns.emplace_back(rows->bytes(at, 1), rows->bytes(at, 2));
        if (rows->bytes(at, 3) == "YES") table.numbered = table.columns.back().first;
        table.of_sessions =
            table.of_sessions ||
            table.columns.back() == std::pair<std::string, std::string>{"session", "bigint"};
    }
    return tables;
}

/// Those that belong to the store itself, and not to what it stores.
bool is_of_store(const std::string& table) {
    static const std::set<std::string> kStore{"feed", "lease", "schema_version", "meta", "daemon"};
    return kStore.contains(table);
}

/// A row of the session in each table that lacks one; its numbers are `number`.
void fill_postgres(const PostgresHere& here, SessionKey session, std::int64_t number) {
    for (const PostgresTable& table : tables_in(here)) {
        if (is_of_store(table.name)) continue;
        std::string values;
        for (const auto& [name, type] : table.columns) {
            values += values.empty() ? "" : ",";
            values += type == "bytea"     ? "'\\x01'"
                      : type == "text"    ? "'t'"
                      : name == "session" ? std::to_string(session)
                                          : std::to_string(number);
        }
        INFO(table.name);
        here.run("INSERT INTO " + table.name + " VALUES(" + values + ") ON CONFLICT DO NOTHING");
    }
}

}  // namespace

TEST_CASE("postgres: a forgotten session has no row in any table", "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto store = here.daemon();
    PostgresWriter a{*store, "a"};
    a.write({beat(), ended(Outcome::kCompleted)});
    a.save();
    fill_postgres(here, a.key, 50);
    require_ok(store->begin());
    require_ok(store->forget(a.key));
    require_ok(store->commit());
    int steps = 0;
    while (store->delete_some(at(0)).value().more)
        REQUIRE(++steps < 50);
    for (const PostgresTable& table : tables_in(here)) {
        INFO(table.name);
        if (table.of_sessions)
            CHECK(here.number("SELECT count(*) FROM " + table.name +
                              " WHERE session=" + std::to_string(a.key)) == 0);
    }
    CHECK(here.number("SELECT count(*) FROM meta WHERE name LIKE 'forget%'") == 0);
}

TEST_CASE("postgres: an import begins with empty tables, and ends with their next numbers",
          "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    (void)here.daemon();
    here.run("INSERT INTO meta(name,value) VALUES('importing',1)");  // of one that broke off
    fill_postgres(here, 1, 1);
    PostgresStore::Settings settings;
    settings.connection.url = here.url();
    settings.id = "import";
    settings.imports = true;
    auto store = PostgresStore::open(std::move(settings));
    require_ok(store);
    require_ok((*store)->imports().start());
    for (const PostgresTable& table : tables_in(here)) {
        INFO(table.name);
        if (!is_of_store(table.name)) CHECK(here.number("SELECT count(*) FROM " + table.name) == 0);
    }
    fill_postgres(here, 1, 700);
    require_ok((*store)->imports().finish({}));
    for (const PostgresTable& table : tables_in(here)) {
        INFO(table.name);
        if (table.numbered.empty()) continue;
        CHECK(here.number("SELECT nextval(pg_get_serial_sequence('" + table.name + "','" +
                          table.numbered + "'))") == 701);
    }
}
