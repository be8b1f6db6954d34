// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/schema.hpp"

#include <catch2/catch.hpp>

#include "storage/sqlite/sqlite_copy.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

Database database_in(const TempDir& dir) {
    auto database = Database::open(dir.file().string());
    require_ok(database);
    return *std::move(database);
}

std::int64_t integer(Database& database, const char* sql) {
    return database.query_integer(sql).value();
}

}  // namespace

TEST_CASE("schema: a new file gets the schema, its version and our mark", "[storage]") {
    const TempDir dir;
    Database database = database_in(dir);
    require_ok(prepare_schema(database));
    CHECK(integer(database, "PRAGMA user_version") == kSchemaVersion);
    CHECK(integer(database, "PRAGMA application_id") == 0x48445759);
    CHECK(integer(database, "SELECT count(*) FROM sqlite_master WHERE type='table'") == 17);
}

TEST_CASE("schema: a second time changes nothing", "[storage]") {
    const TempDir dir;
    Database database = database_in(dir);
    require_ok(prepare_schema(database));
    require_ok(database.execute("INSERT INTO meta VALUES('x',7)"));
    require_ok(prepare_schema(database));
    CHECK(integer(database, "SELECT value FROM meta WHERE name='x'") == 7);
}

TEST_CASE("schema: a newer schema is refused and left alone", "[storage]") {
    const TempDir dir;
    Database database = database_in(dir);
    require_ok(prepare_schema(database));
    require_ok(database.execute("PRAGMA user_version=99"));
    CHECK(code_of(prepare_schema(database)) == ErrorCode::kStorageTooNew);
    CHECK(integer(database, "PRAGMA user_version") == 99);
}

TEST_CASE("schema: that of a development build is refused and left alone", "[storage]") {
    const TempDir dir;
    Database database = database_in(dir);
    require_ok(prepare_schema(database));
    require_ok(database.execute("PRAGMA user_version=1"));
    const auto refused = prepare_schema(database);
    CHECK(code_of(refused) == ErrorCode::kStorageTooNew);
    CHECK(refused.error().field == "storage.state_dir");
    CHECK(code_of(verify_database(dir.file())) == ErrorCode::kStorageTooNew);
    CHECK(integer(database, "PRAGMA user_version") == 1);
}

TEST_CASE("schema: a schema below the first is damage", "[storage]") {
    const TempDir dir;
    Database database = database_in(dir);
    require_ok(prepare_schema(database));
    require_ok(database.execute("PRAGMA user_version=-3"));
    CHECK(code_of(prepare_schema(database)) == ErrorCode::kStorageCorrupt);
    CHECK(integer(database, "PRAGMA user_version") == -3);
}

TEST_CASE("schema: the database of another program is refused and left alone", "[storage]") {
    const TempDir dir;
    Database database = database_in(dir);
    SECTION("with tables and no mark") {
        require_ok(database.execute("CREATE TABLE theirs(x)"));
    }
    SECTION("with a mark of its own") {
        require_ok(database.execute("PRAGMA application_id=42"));
    }
    const std::int64_t before = integer(database, "SELECT count(*) FROM sqlite_master");
    CHECK(code_of(prepare_schema(database)) == ErrorCode::kStorageCorrupt);
    CHECK(integer(database, "SELECT count(*) FROM sqlite_master") == before);
    CHECK(integer(database, "PRAGMA user_version") == 0);
}

TEST_CASE("schema: a database with triggers or views is refused, and so is its copy", "[storage]") {
    const TempDir dir;
    Database database = database_in(dir);
    require_ok(prepare_schema(database));
    const char* const program =
        GENERATE("CREATE TRIGGER evil AFTER INSERT ON journal BEGIN DELETE FROM approval; END",
                 "CREATE VIEW evil AS SELECT * FROM journal");
    require_ok(verify_database(dir.file()));
    require_ok(database.execute(program));
    CHECK(code_of(prepare_schema(database)) == ErrorCode::kStorageCorrupt);
    CHECK(code_of(verify_database(dir.file())) == ErrorCode::kStorageCorrupt);
}
