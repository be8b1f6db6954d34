// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "storage/sqlite/sqlite_store.hpp"
#include "tests/support/daemon_story.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/names.hpp"
#include "tests/support/seed.hpp"

// Each operation of the disk fails in each way, one after the other, in the same story of a daemon:
// it goes on, or ends where it must, and nothing is lost that was acknowledged.

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;
using Operation = FaultyDisk::Operation;

namespace {

struct DiskFault {
    const char* name;
    Operation operation;
    int code;
};

constexpr DiskFault kFaults[] = {
    {"write EIO", Operation::kWrite, SQLITE_IOERR_WRITE},
    {"write ENOSPC", Operation::kWrite, SQLITE_FULL},
    {"read EIO", Operation::kRead, SQLITE_IOERR_READ},
    {"sync EIO", Operation::kSync, SQLITE_IOERR_FSYNC},
    {"truncate EIO", Operation::kTruncate, SQLITE_IOERR_TRUNCATE},
    {"open EIO", Operation::kOpen, SQLITE_CANTOPEN},
    {"delete EIO", Operation::kDelete, SQLITE_IOERR_DELETE},
};

/// A disk with a database as a daemon has left it.
struct Disk {
    FaultyDisk disk;
    Disk() {
        const auto store = SqliteStore::open("/headway.db", disk.name());
        require_ok(store);
        DaemonStory::prepare(*(*store)->tables());
    }
    DaemonStory::Place story() {
        DaemonStory::Place place;
        place.open = [this](const std::string&,
                            const std::function<Timestamp()>&) -> Result<std::unique_ptr<Store>> {
            HEADWAY_TRY(auto store, SqliteStore::open("/headway.db", disk.name()));
            return std::unique_ptr<Store>{std::move(store)};
        };
        place.mend = [this] { disk.mend(); };
        return place;
    }
};

/// How many such operations the story has without a fault.
std::uint64_t operations(Operation operation) {
    Disk disk;
    const std::uint64_t before = disk.disk.count(operation);
    DaemonStory story{disk.story()};
    story.play();
    const std::uint64_t count = disk.disk.count(operation) - before;
    CHECK(story.faults() == "");
    CHECK(story.refused == 0);
    CHECK(story.restarts == 0);
    return count;
}

void play_with(const DiskFault& fault, std::uint64_t nth) {
    INFO(fault.name << ", operation " << nth);
    Disk disk;
    disk.disk.fail(fault.operation, nth, fault.code);
    DaemonStory story{disk.story()};
    story.play();
    CHECK(disk.disk.struck());
    CHECK(story.faults() == "");
}

}  // namespace

TEST_CASE("disk story: at each operation of the disk a daemon loses nothing acknowledged",
          "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    for (const DiskFault& fault : kFaults) {
        DYNAMIC_SECTION(fault.name) {
            const std::uint64_t count = operations(fault.operation);
            const std::uint64_t cases = long_run() ? count : std::min<std::uint64_t>(count, 40);
            Gen gen{seed()};
            for (std::uint64_t part = 0; part < cases; ++part)
                play_with(fault, 1 + (part * count + gen.below(count)) / cases);
        }
    }
}
