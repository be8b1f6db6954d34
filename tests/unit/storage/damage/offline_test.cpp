// SPDX-License-Identifier: Apache-2.0
#include "storage/damage/offline.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "storage/files/database_files.hpp"
#include "storage/files/database_lock.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

void add_session(const std::filesystem::path& file, const std::string& id) {
    auto store = SqliteStore::open(file);
    require_ok(store);
    require_ok((*store)->begin());
    const auto key = (*store)->create(id, at(0));
    require_ok(key);
    Session session{id};
    std::vector<Event> out;
    session.open({}, {}, context(0), out);
    Chain chain;
    require_ok((*store)->append(*key, chain, out));
    require_ok((*store)->commit());
}

}  // namespace

TEST_CASE("offline: a copy is checked, private, and never overwrites", "[storage]") {
    const TempDir dir;
    add_session(dir.file(), "a");
    require_ok(copy_offline(dir.file(), dir.file("copy.db")));
    const auto counts = verify_database(dir.file("copy.db"));
    require_ok(counts);
    CHECK(counts->sessions == 1);
    CHECK(counts->events == 1);
    struct stat found {};
    REQUIRE(::stat(dir.file("copy.db").c_str(), &found) == 0);
    CHECK((found.st_mode & 0777U) == 0600U);
    CHECK(code_of(copy_offline(dir.file(), dir.file("copy.db"))) == ErrorCode::kFileExists);
    CHECK(code_of(copy_offline(dir.file("none"), dir.file("x"))) == ErrorCode::kStorageUnavailable);
    CHECK_FALSE(std::filesystem::exists(dir.file("none")));
    CHECK(code_of(copy_offline(dir.file(), "/nowhere/at/all.db")) == ErrorCode::kBackupFailed);
}

TEST_CASE("offline: the name of a file that is no database is said", "[storage]") {
    const TempDir dir;
    std::ofstream(dir.file("letter.db")) << std::string(9'000, 'x');
    const auto starts =
        Catch::StartsWith(dir.file("letter.db").string() + " is not a database of Headway");
    const auto restored = restore_database(dir.file("letter.db"), dir.file());
    CHECK(code_of(restored) == ErrorCode::kStorageCorrupt);
    CHECK_THAT(restored.error().detail, starts);
    const auto copied = copy_offline(dir.file("letter.db"), dir.file("copy.db"));
    CHECK(code_of(copied) == ErrorCode::kStorageCorrupt);
    CHECK_THAT(copied.error().detail, starts);
}

TEST_CASE("offline: a backup takes the place of the database, which is kept", "[storage]") {
    const TempDir dir;
    add_session(dir.file(), "a");
    require_ok(copy_offline(dir.file(), dir.file("backup.db")));
    add_session(dir.file(), "b");
    const auto restored = restore_database(dir.file("backup.db"), dir.file());
    require_ok(restored);
    CHECK(restored->counts.sessions == 1);
    CHECK(restored->replaced == dir.file("headway.db.replaced-1"));
    CHECK(verify_database(restored->replaced)->sessions == 2);
    CHECK(verify_database(dir.file())->sessions == 1);
    require_ok(SqliteStore::open(dir.file()));
}

TEST_CASE("offline: a backup is restored on a machine that has no state directory yet",
          "[storage]") {
    const TempDir dir;
    add_session(dir.file(), "a");
    require_ok(copy_offline(dir.file(), dir.file("copy.db")));
    const auto folder = dir.file("new") / "headway";
    const auto restored = restore_database(dir.file("copy.db"), folder / "headway.db");
    require_ok(restored);
    CHECK(restored->counts.sessions == 1);
    CHECK(restored->replaced.empty());
    add_session(folder / "headway.db", "b");
    SECTION("a file that is no backup leaves no folder behind") {
        const auto other = dir.file("other") / "headway.db";
        CHECK_FALSE(restore_database(dir.file("no.db"), other).has_value());
        CHECK_FALSE(std::filesystem::exists(other.parent_path()));
    }
}

TEST_CASE("offline: a restore by root belongs to the owner of the folder", "[storage]") {
    if (::geteuid() != 0) return;  // only root can give files away
    const TempDir dir;
    add_session(dir.file(), "a");
    require_ok(copy_offline(dir.file(), dir.file("backup.db")));
    REQUIRE(::chown(dir.file().parent_path().c_str(), 1234, 1235) == 0);
    require_ok(restore_database(dir.file("backup.db"), dir.file()));
    struct stat found {};
    REQUIRE(::stat(dir.file().c_str(), &found) == 0);
    CHECK(found.st_uid == 1234);
    CHECK(found.st_gid == 1235);
    CHECK((found.st_mode & 0777U) == 0600U);
}

TEST_CASE("offline: a file that is no backup is refused, and nothing changes", "[storage]") {
    const TempDir dir;
    add_session(dir.file(), "a");
    const std::string before = bytes_of(dir.file());
    std::ofstream{dir.file("text.db")} << "nothing of ours";
    std::ofstream{dir.file("empty.db")};
    auto theirs = Database::open(dir.file("theirs.db").string());
    require_ok(theirs);
    require_ok(theirs->execute("CREATE TABLE t(x)"));
    theirs = Database{};
    auto newer = Database::open(dir.file("newer.db").string());
    require_ok(newer);
    require_ok(newer->execute("PRAGMA application_id=1212438361;PRAGMA user_version=99"));
    newer = Database{};
    CHECK(code_of(restore_database(dir.file("text.db"), dir.file())) == ErrorCode::kStorageCorrupt);
    CHECK(code_of(restore_database(dir.file("empty.db"), dir.file())) ==
          ErrorCode::kStorageCorrupt);
    CHECK(code_of(restore_database(dir.file("theirs.db"), dir.file())) ==
          ErrorCode::kStorageCorrupt);
    CHECK(code_of(restore_database(dir.file("newer.db"), dir.file())) == ErrorCode::kStorageTooNew);
    CHECK(code_of(restore_database(dir.file("none.db"), dir.file())) ==
          ErrorCode::kStorageUnavailable);
    CHECK(bytes_of(dir.file()) == before);
}

TEST_CASE("offline: a database in use is neither copied nor replaced, and a locked one not opened",
          "[storage]") {
    const TempDir dir;
    add_session(dir.file(), "a");
    require_ok(copy_offline(dir.file(), dir.file("backup.db")));
    {
        const auto store = SqliteStore::open(dir.file());
        require_ok(store);
        CHECK(code_of(restore_database(dir.file("backup.db"), dir.file())) ==
              ErrorCode::kStorageUnavailable);
        require_ok((*store)->token_table().tokens());
    }
    const auto lock = DatabaseLock::take(dir.file());
    require_ok(lock);
    CHECK(code_of(SqliteStore::open(dir.file())) == ErrorCode::kStorageUnavailable);
    CHECK(code_of(DatabaseLock::take(dir.file())) == ErrorCode::kStorageUnavailable);
}
