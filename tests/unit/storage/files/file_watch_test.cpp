// SPDX-License-Identifier: Apache-2.0
#include "storage/files/file_watch.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "storage/sqlite/sqlite_store.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;
namespace fs = std::filesystem;

namespace {

Result<> write_one(SqliteStore& store, const std::string& id) {
    HEADWAY_CHECK(store.begin());
    auto created = store.create(id, at(0));
    if (!created) {
        store.rollback();
        return created.error();
    }
    auto done = store.commit();
    if (!done) store.rollback();
    return done;
}

std::unique_ptr<SqliteStore> opened(const fs::path& file) {
    auto store = SqliteStore::open(file);
    require_ok(store);
    require_ok(write_one(**store, "first"));
    require_ok((*store)->look_at_files());
    return *std::move(store);
}

fs::path log_of(const fs::path& file) {
    return file.string() + "-wal";
}

}  // namespace

TEST_CASE("files: a database that was renamed is written again when it is back", "[storage]") {
    const TempDir dir;
    {
        const auto store = opened(dir.file());
        fs::rename(dir.file(), dir.file("elsewhere.db"));
        const auto refused = write_one(*store, "second");
        CHECK(code_of(refused) == ErrorCode::kStorageUnavailable);
        CHECK_THAT(refused.error().detail, Catch::Contains("deleted, renamed or replaced"));
        CHECK_THAT(refused.error().detail, Catch::Contains("/fd/"));
        CHECK(code_of(store->begin()) == ErrorCode::kStorageUnavailable);
        fs::rename(dir.file("elsewhere.db"), dir.file());
        require_ok(write_one(*store, "third"));
    }
    const auto store = opened(dir.file("other.db"));
    auto again = SqliteStore::open(dir.file());
    require_ok(again);
    CHECK((*again)->find("first").value().has_value());
    CHECK((*again)->find("third").value().has_value());
}

TEST_CASE("files: one that stays renamed keeps its log, and nothing is lost with both back",
          "[storage]") {
    const TempDir dir;
    {
        const auto store = opened(dir.file());
        fs::rename(dir.file(), dir.file("elsewhere.db"));
        CHECK_FALSE(store->look_at_files().has_value());
    }
    CHECK(fs::file_size(log_of(dir.file())) > 0);
    fs::rename(dir.file("elsewhere.db"), dir.file());
    auto again = SqliteStore::open(dir.file());
    require_ok(again);
    CHECK((*again)->find("first").value().has_value());
}

TEST_CASE("files: a deleted folder is noticed before the next transaction is answered",
          "[storage]") {
    const TempDir dir;
    fs::create_directory(dir.file("state"));
    const fs::path file = dir.file("state") / "headway.db";
    const auto store = opened(file);
    fs::remove_all(dir.file("state"));
    CHECK(code_of(write_one(*store, "second")) == ErrorCode::kStorageUnavailable);
    // Another file under its name is noticed too.
    fs::create_directory(dir.file("state"));
    std::ofstream{file} << "something else";
    CHECK(code_of(store->look_at_files()) == ErrorCode::kStorageUnavailable);
}

TEST_CASE("files: a log that was cut ends all writing", "[storage]") {
    const TempDir dir;
    const auto store = opened(dir.file());
    fs::resize_file(log_of(dir.file()), static_cast<std::uintmax_t>(GENERATE(0, 4096)));
    CHECK(code_of(store->look_at_files()) == ErrorCode::kStorageSyncFailed);
    CHECK(code_of(store->begin()) == ErrorCode::kStorageSyncFailed);
}

TEST_CASE("files: a log that was cut and written further ends all writing", "[storage]") {
    const TempDir dir;
    const auto store = opened(dir.file());
    require_ok(store->begin());
    require_ok(store->create("second", at(0)));
    fs::resize_file(log_of(dir.file()), static_cast<std::uintmax_t>(GENERATE(0, 32, 4096)));
    CHECK(code_of(store->commit()) == ErrorCode::kStorageSyncFailed);
    CHECK(code_of(store->begin()) == ErrorCode::kStorageSyncFailed);
}

TEST_CASE("files: a database that was cut ends all writing", "[storage]") {
    const TempDir dir;
    const auto store = opened(dir.file());
    require_ok(store->checkpoint(1));
    require_ok(store->look_at_files());
    fs::resize_file(dir.file(), fs::file_size(dir.file()) - 8192);
    CHECK(code_of(store->look_at_files()) == ErrorCode::kStorageSyncFailed);
}

TEST_CASE("files: a log that was deleted costs nothing of what was acknowledged", "[storage]") {
    const TempDir dir;
    {
        const auto store = opened(dir.file());
        fs::remove(log_of(dir.file()));
        CHECK(code_of(store->look_at_files()) == ErrorCode::kStorageSyncFailed);
    }
    auto again = SqliteStore::open(dir.file());
    require_ok(again);
    CHECK((*again)->find("first").value().has_value());
}

TEST_CASE("files: checkpoints and a restarted log are no damage", "[storage]") {
    const TempDir dir;
    const auto store = opened(dir.file());
    for (int i = 0; i < 300; ++i) {
        require_ok(store->begin());
        for (int j = 0; j <= i % 11 * 20; ++j)  // of one page, and of many
            require_ok(store->create("s" + std::to_string(i) + "." + std::to_string(j), at(0)));
        require_ok(store->commit());
        if (i % 7 == 0) require_ok(store->checkpoint(1));
        require_ok(store->look_at_files());
    }
}

TEST_CASE("files: a transaction that began the log from its start and was rolled back is no damage",
          "[storage]") {
    const TempDir dir;
    const auto store = opened(dir.file());
    require_ok(store->begin());
    for (int i = 0; i < 100; ++i)
        require_ok(store->create(std::string(2'000, 'a') + std::to_string(i), at(0)));
    require_ok(store->commit());
    require_ok(store->checkpoint(1));
    require_ok(store->begin());
    for (int i = 0; i < 8'000; ++i)  // more than the page cache holds: it is written before the end
        require_ok(store->create(std::string(2'000, 'b') + std::to_string(i), at(0)));
    store->rollback();
    require_ok(store->look_at_files());
    require_ok(write_one(*store, "second"));
}
