// SPDX-License-Identifier: Apache-2.0
#include "storage/files/log_check.hpp"

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

constexpr int kCommits = 20;

fs::path log_beside(const fs::path& file) {
    return file.string() + "-wal";
}

/// A database as a killed process leaves it, with its log.
fs::path killed(const TempDir& dir) {
    const fs::path file = dir.file("live.db");
    auto store = SqliteStore::open(file);
    require_ok(store);
    for (int i = 0; i < kCommits; ++i) {
        require_ok((*store)->begin());
        require_ok((*store)->create("s" + std::to_string(i), at(0)));
        require_ok((*store)->commit());
    }
    fs::copy_file(file, dir.file("dead.db"));
    fs::copy_file(log_beside(file), log_beside(dir.file("dead.db")));
    return dir.file("dead.db");
}

void flip(const fs::path& file, std::uintmax_t at) {
    std::fstream bytes{file, std::ios::in | std::ios::out | std::ios::binary};
    bytes.seekg(static_cast<std::streamoff>(at));
    const char changed = static_cast<char>(bytes.get() ^ 0x10);
    bytes.seekp(static_cast<std::streamoff>(at));
    bytes.put(changed);
}

}  // namespace

TEST_CASE("log check: a log that a killed process left is sound", "[storage]") {
    const TempDir dir;
    CHECK_FALSE(find_log_damage(dir.file("absent.db")));
    CHECK_FALSE(*keep_log_if_damaged(dir.file("absent.db")));
    const fs::path file = killed(dir);
    CHECK_FALSE(find_log_damage(file));
    CHECK_FALSE(*keep_log_if_damaged(file));
    require_ok(SqliteStore::open(file));
    CHECK_FALSE(find_log_damage(file));  // emptied
}

TEST_CASE("log check: a flipped bit is found, and how many commits it costs", "[storage]") {
    const TempDir dir;
    const fs::path file = killed(dir);
    const auto bytes = fs::file_size(log_beside(file));
    flip(log_beside(file), bytes / 2);
    const auto damage = find_log_damage(file);
    REQUIRE(damage);
    CHECK(damage->frame > 1);
    CHECK(damage->lost_commits > 1);
    CHECK(damage->lost_commits < kCommits);
    const auto kept = keep_log_if_damaged(file);
    require_ok(kept);
    REQUIRE(*kept);
    CHECK((*kept)->lost_commits == damage->lost_commits);
    CHECK(fs::file_size((*kept)->kept) == bytes);
    CHECK(fs::status((*kept)->kept).permissions() ==
          (fs::perms::owner_read | fs::perms::owner_write));
    CHECK((*kept)->kept != (*keep_log_if_damaged(file))->kept);
    // As many as it says are missing afterwards.
    auto store = SqliteStore::open(file);
    require_ok(store);
    int missing = 0;
    for (int i = 0; i < kCommits; ++i)
        missing += (*store)->find("s" + std::to_string(i)).value().has_value() ? 0 : 1;
    CHECK(static_cast<std::uint64_t>(missing) == damage->lost_commits);
}

TEST_CASE("log check: a damaged header costs every commit", "[storage]") {
    const TempDir dir;
    const fs::path file = killed(dir);
    flip(log_beside(file), GENERATE(0U, 17U, 25U));
    const auto damage = find_log_damage(file);
    REQUIRE(damage);
    CHECK(damage->frame == 0);
    CHECK(damage->lost_commits >= kCommits);
}

TEST_CASE("log check: what a power cut leaves is no damage", "[storage]") {
    const TempDir dir;
    const fs::path file = killed(dir);
    const auto bytes = fs::file_size(log_beside(file));
    SECTION("the last frame is not whole") {
        fs::resize_file(log_beside(file), bytes - 100);
    }
    SECTION("the last commit was not written") {
        flip(log_beside(file), bytes - 100);
    }
    SECTION("nothing was written") {
        fs::resize_file(log_beside(file), GENERATE(0U, 10U, 32U, 33U));
    }
    CHECK_FALSE(find_log_damage(file));
}

TEST_CASE("log check: a log without its database is not for a new one to discard", "[storage]") {
    const TempDir dir;
    const fs::path file = killed(dir);
    require_ok(check_log_has_database(file));
    require_ok(check_log_has_database(dir.file("absent.db")));
    fs::remove(file);
    const auto refused = check_log_has_database(file);
    CHECK(code_of(refused) == ErrorCode::kStorageUnavailable);
    CHECK_THAT(refused.error().detail, Catch::Contains("move the log away"));
    fs::resize_file(log_beside(file), 0);
    require_ok(check_log_has_database(file));
}
