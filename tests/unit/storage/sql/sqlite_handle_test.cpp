// SPDX-License-Identifier: Apache-2.0
#include "storage/sql/sqlite_handle.hpp"

#include <catch2/catch.hpp>

#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

struct Numbers {
    TempDir dir;
    Database database;

    Numbers() : database(Database::open(dir.file().string()).value()) {
        require_ok(database.execute(
            "CREATE TABLE number(value INTEGER, name TEXT);"
            "INSERT INTO number VALUES(1,'one'),(2,'two'),(3,'three'),(4,'four')"));
    }
};

}  // namespace

TEST_CASE("statement: abandoned rows do not affect the next reader", "[storage]") {
    Numbers numbers;
    auto kept = numbers.database.prepare("SELECT value FROM number WHERE value>=?1 ORDER BY value");
    require_ok(kept);
    {
        Rows rows{kept->bind(1, std::int64_t{1})};
        REQUIRE(rows.next().value());
        CHECK(rows->integer(0) == 1);
    }
    Rows rows{kept->bind(1, std::int64_t{4})};
    REQUIRE(rows.next().value());
    CHECK(rows->integer(0) == 4);
    CHECK_FALSE(rows.next().value());
}

TEST_CASE("statement: a parameter that cannot be bound is an error, not the old value",
          "[storage]") {
    Numbers numbers;
    auto kept = numbers.database.prepare("SELECT name FROM number WHERE value=?1");
    require_ok(kept);
    REQUIRE(kept->bind(1, std::int64_t{2}).step().value());
    // It is in the middle of its rows, where SQLite accepts no parameters.
    const auto other = kept->bind(1, std::int64_t{3}).step();
    REQUIRE_FALSE(other.has_value());
    CHECK_THAT(other.error().detail, Catch::Contains("a parameter cannot be bound"));
    REQUIRE(kept->bind(1, std::int64_t{3}).step().value());
    CHECK(kept->text(0) == "three");
    kept->reset();
    CHECK_FALSE(kept->bind(2, std::int64_t{3}).step().has_value());  // there is one only
}
