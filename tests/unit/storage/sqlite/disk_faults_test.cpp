// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>
#include <catch2/catch.hpp>

#include "storage/sqlite/sqlite_store.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/journal_model.hpp"
#include "tests/support/names.hpp"

// Each operation of the disk fails once, one after the other, in the same story.

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;
using Operation = FaultyDisk::Operation;

namespace {

const std::string kFile = "/headway.db";
constexpr int kSteps = 40;

struct Kind {
    const char* name;
    Operation operation;
    int code;
    ErrorCode expected;
};

constexpr Kind kKinds[] = {
    {"write EIO", Operation::kWrite, SQLITE_IOERR_WRITE, ErrorCode::kStorageUnavailable},
    {"write ENOSPC", Operation::kWrite, SQLITE_FULL, ErrorCode::kStorageFull},
    {"read EIO", Operation::kRead, SQLITE_IOERR_READ, ErrorCode::kStorageUnavailable},
    {"truncate EIO", Operation::kTruncate, SQLITE_IOERR_TRUNCATE, ErrorCode::kStorageUnavailable},
    {"open EIO", Operation::kOpen, SQLITE_CANTOPEN, ErrorCode::kStorageUnavailable},
    {"delete EIO", Operation::kDelete, SQLITE_IOERR_DELETE, ErrorCode::kStorageUnavailable},
};

/// The story until the nth operation fails; false if there are fewer. Each failure has the expected
/// code, and the next try works.
bool story(std::uint64_t seed, const Kind& kind, std::uint64_t nth) {
    INFO("operation " << nth);
    FaultyDisk disk;
    JournalModel model{seed};
    disk.fail(kind.operation, nth, kind.code);
    auto store = SqliteStore::open(kFile, disk.name());
    if (!store) {
        CHECK(store.error().code == kind.expected);
        store = SqliteStore::open(kFile, disk.name());
    }
    require_ok(store);
    for (int i = 0; i < kSteps; ++i) {
        auto done = model.step(**store, disk);
        if (!done) {
            CHECK(disk.struck());
            INFO(done.error().detail);
            CHECK(done.error().code == kind.expected);
        }
        if (i == kSteps / 2) {
            store->reset();  // a failure here is not reported, and must do no harm
            store = SqliteStore::open(kFile, disk.name());
            if (!store) store = SqliteStore::open(kFile, disk.name());
            require_ok(store);
        }
    }
    const bool struck = disk.struck();
    disk.mend();
    CHECK(model.faults(**store, disk.moment()) == "");
    store->reset();
    store = SqliteStore::open(kFile, disk.name());
    require_ok(store);
    CHECK(model.faults(**store, disk.moment()) == "");
    return struck;
}

}  // namespace

TEST_CASE("disk faults: a single failure is a clean error, loses nothing and can be retried",
          "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    for (const Kind& kind : kKinds) {
        DYNAMIC_SECTION(kind.name) {
            std::uint64_t nth = 1;
            while (story(seed(), kind, nth))
                nth += 1 + nth / 16;
            CHECK(nth > 2);
        }
    }
}

TEST_CASE("disk faults: a full disk refuses writes, serves reads, and continues when there is room",
          "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    FaultyDisk disk;
    JournalModel model{seed()};
    auto store = SqliteStore::open(kFile, disk.name());
    require_ok(store);
    for (int i = 0; i < 20; ++i)
        require_ok(model.step(**store, disk));
    disk.fail(Operation::kWrite, 1, SQLITE_FULL, true);
    int refused = 0;
    for (int i = 0; i < 60; ++i) {  // some of them write nothing
        const auto done = model.step(**store, disk);
        if (done) continue;
        CHECK(done.error().code == ErrorCode::kStorageFull);
        ++refused;
    }
    CHECK(refused > 5);
    CHECK(model.faults(**store, disk.moment()) == "");
    disk.mend();
    const std::size_t before = model.commits();
    for (int i = 0; i < 20; ++i)
        require_ok(model.step(**store, disk));
    CHECK(model.commits() > before);
    CHECK(model.faults(**store, disk.moment()) == "");
}

TEST_CASE("disk faults: a start on a full disk can be read from", "[storage]") {
    FaultyDisk disk;
    JournalModel model{seed()};
    FaultyDisk::Files files;
    {
        auto store = SqliteStore::open(kFile, disk.name());
        require_ok(store);
        for (int i = 0; i < 30; ++i)
            require_ok(model.step(**store, disk));
        files = disk.files();  // the log was not emptied, as after a kill
    }
    FaultyDisk full;
    full.fill(files);
    full.fail(Operation::kWrite, 1, SQLITE_FULL, true);
    const auto store = SqliteStore::open(kFile, full.name());
    require_ok(store);
    CHECK(model.faults(**store, disk.moment()) == "");
}

TEST_CASE(
    "disk faults: after a failed sync nothing is written, and a restart has all acknowledged data",
    "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    bool struck = true;
    std::uint64_t nth = 1;
    for (; struck; nth += 1 + nth / 16) {
        INFO("sync " << nth);
        FaultyDisk disk;
        JournalModel model{seed()};
        disk.fail(Operation::kSync, nth, SQLITE_IOERR_FSYNC);
        auto store = SqliteStore::open(kFile, disk.name());
        if (store) {
            Result<> done;
            for (int i = 0; i < kSteps && done; ++i)
                done = model.step(**store, disk);
            struck = disk.struck();
            if (struck) {
                REQUIRE_FALSE(done.has_value());
                CHECK(done.error().code == ErrorCode::kStorageSyncFailed);
                const std::size_t moment = disk.moment();
                CHECK(code_of((*store)->begin()) == ErrorCode::kStorageSyncFailed);
                require_ok((*store)->checkpoint(1));
                store->reset();
                CHECK(disk.moment() == moment);  // not even the log was moved
            }
        } else {
            CHECK(store.error().code == ErrorCode::kStorageSyncFailed);
        }
        disk.mend();
        if (store) store->reset();
        store = SqliteStore::open(kFile, disk.name());
        require_ok(store);
        CHECK(model.faults(**store, disk.moment()) == "");
    }
    CHECK(nth > 10);
}
