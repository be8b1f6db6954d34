// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <map>

#include "storage/sqlite/migrations.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

// A database of every schema so far (unit/storage/schemas, made by support/make_schema.py).

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

std::string fixture(int schema) {
    std::ifstream in{HEADWAY_SOURCE_DIR "/tests/unit/storage/schemas/schema-" +
                     std::to_string(schema) + ".sql"};
    REQUIRE(in.good());
    return {std::istreambuf_iterator<char>{in}, {}};
}

void make(const std::string& file, int schema, const std::string& vfs = {}) {
    auto database = Database::open(file, vfs);
    require_ok(database);
    // As a Headway left it: in its journal mode.
    require_ok(database->execute("PRAGMA locking_mode=EXCLUSIVE;PRAGMA journal_mode=WAL"));
    require_ok(database->execute(fixture(schema).c_str()));
}

/// All journals by session id; also checks that the other tables are readable.
std::map<std::string, std::vector<Event>> contents(SqliteStore& store) {
    const auto recovery = store.recover();
    require_ok(recovery);
    std::map<std::string, std::vector<Event>> journals;
    for (const StreamEvent& one : store.read_stream(0, 1'000).value().events)
        journals[one.session].push_back(one.event);
    for (const auto& [id, journal] : journals) {
        for (std::size_t i = 0; i < journal.size(); ++i)
            REQUIRE(journal[i].n == i + 1);
    }
    CHECK(store.index().count({}).value() == journals.size());
    require_ok(store.token_table().tokens());
    require_ok(store.index().needs(10));
    require_ok(store.expectations().list_uses());
    require_ok(store.outbox().outbox_endpoints());
    require_ok(store.outbox().list_messages("ops", false, 0, 10));
    return journals;
}

std::int64_t integer(const std::filesystem::path& file, const char* sql) {
    auto database = Database::open_untouched(file.string());
    require_ok(database);
    return database->query_integer(sql).value();
}

}  // namespace

TEST_CASE("upgrade: a database of every schema keeps all it had, and a copy is made before",
          "[storage]") {
    const TempDir newest;
    make(newest.file().string(), kSchemaVersion);
    auto expected = SqliteStore::open(newest.file());
    require_ok(expected);
    CHECK((*expected)->saved_copy().empty());
    const auto journals = contents(**expected);
    REQUIRE(journals.size() == 4);
    REQUIRE(journals.at("plain").size() > 3);

    for (int schema = 1; schema < kSchemaVersion; ++schema) {
        DYNAMIC_SECTION("schema " << schema) {
            const TempDir dir;
            make(dir.file().string(), schema);
            auto store = SqliteStore::open(dir.file());
            require_ok(store);
            CHECK(contents(**store) == journals);
            const auto copy = dir.file("headway.db.before-schema-" + std::to_string(schema + 1));
            CHECK((*store)->saved_copy() == copy);
            CHECK(integer(copy, "PRAGMA user_version") == schema);
            CHECK(integer(copy, "SELECT count(*) FROM journal") > 5);

            store->reset();
            store = SqliteStore::open(dir.file());
            require_ok(store);
            CHECK((*store)->saved_copy().empty());
            CHECK(contents(**store) == journals);
        }
    }
}

TEST_CASE(
    "upgrade: the first start reports the progress of the session index, the next has no work",
    "[storage]") {
    const TempDir dir;
    make(dir.file().string(), 5);
    std::vector<std::pair<std::size_t, std::size_t>> told;
    for (int start = 0; start < 2; ++start) {
        auto store = SqliteStore::open(dir.file());
        require_ok(store);
        (*store)->show_progress(
            [&told](std::size_t done, std::size_t total) { told.emplace_back(done, total); });
        require_ok((*store)->recover());
    }
    using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
    CHECK(told == Pairs{{0, 4}, {1, 4}, {2, 4}, {3, 4}});
}

TEST_CASE("upgrade: without room for the copy nothing is changed", "[storage]") {
    FaultyDisk disk;
    make("/headway.db", 3, disk.name());
    const auto before = disk.files().at("/headway.db");
    disk.fail(FaultyDisk::Operation::kWrite, 1, 13 /* SQLITE_FULL */, true);
    const auto refused = SqliteStore::open("/headway.db", disk.name());
    REQUIRE_FALSE(refused.has_value());
    CHECK(disk.files().at("/headway.db") == before);
    disk.mend();
    require_ok(SqliteStore::open("/headway.db", disk.name()));
}

TEST_CASE("upgrade: a power loss in the middle leaves a database that the next start upgrades",
          "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    const TempDir newest;
    make(newest.file().string(), kSchemaVersion);
    auto expected = SqliteStore::open(newest.file());
    require_ok(expected);
    const auto journals = contents(**expected);
    for (int schema = 1; schema < kSchemaVersion; ++schema) {
        FaultyDisk made;
        make("/headway.db", schema, made.name());
        FaultyDisk disk;
        disk.fill(made.files());
        const std::size_t from = disk.moment();
        require_ok(SqliteStore::open("/headway.db", disk.name()));
        for (int cut = 0; cut < 8; ++cut) {
            const std::size_t moment = from + gen.index(disk.moment() - from + 1);
            INFO("schema " << schema << ", cut at " << moment << " of " << from << " to "
                           << disk.moment());
            FaultyDisk left;
            left.fill(disk.after_power_loss(moment, gen));
            const auto store = SqliteStore::open("/headway.db", left.name());
            require_ok(store);
            CHECK(contents(**store) == journals);
        }
    }
}
