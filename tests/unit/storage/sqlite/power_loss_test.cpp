// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "storage/sqlite/sqlite_store.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/journal_model.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

// Power cuts at random moments, on a disk that keeps synced data and any part of the rest.

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

const std::string kDatabase = "/headway.db";

bool thorough() {
    const char* wanted = std::getenv("HEADWAY_LONG");
    return wanted != nullptr && std::string{wanted} != "0" && std::string{wanted}.size() > 0;
}

std::string integrity(FaultyDisk& disk) {
    auto database = Database::open(kDatabase, disk.name());
    if (!database) return database.error().detail;
    (void)database->execute("PRAGMA locking_mode=EXCLUSIVE");
    auto check = database->prepare("PRAGMA integrity_check");
    if (!check) return check.error().detail;
    const auto row = check->step();
    return row && *row ? std::string{check->text(0)} : "nothing can be checked";
}

/// Errors after power returns; empty if there are none.
std::string look(const FaultyDisk::Files& left, const JournalModel& model, std::size_t moment) {
    FaultyDisk disk;
    disk.fill(left);
    auto store = SqliteStore::open(kDatabase, disk.name());
    if (!store) return "open: " + store.error().detail;
    std::string wrong = model.faults(**store, moment);
    if (!wrong.empty()) return wrong;
    store->reset();
    const std::string found = integrity(disk);
    return found == "ok" ? std::string{} : found;
}

Event opening() {
    Event one_event = event(SessionStarted{});
    one_event.n = 1;
    return one_event;
}

/// A store that ran this many steps on the disk, with a few restarts.
void live(FaultyDisk& disk, JournalModel& model, Gen& gen, int steps) {
    auto store = SqliteStore::open(kDatabase, disk.name());
    require_ok(store);
    for (int i = 0; i < steps; ++i) {
        if (gen.chance(40)) {
            store->reset();
            store = SqliteStore::open(kDatabase, disk.name());
            require_ok(store);
        }
        require_ok(model.step(**store, disk));
    }
}

}  // namespace

TEST_CASE("power loss: acknowledged data is there, whole, once and in order", "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    const int lives = thorough() ? 20 : 3;
    const int cuts = thorough() ? 50 : 20;
    for (int life = 0; life < lives; ++life) {
        FaultyDisk disk;
        JournalModel model{gen.word()};
        live(disk, model, gen, 150);
        REQUIRE(model.commits() > 50);
        for (int cut = 0; cut < cuts; ++cut) {
            const std::size_t moment = 1 + gen.index(disk.moment());
            INFO("life " << life << ", cut " << cut << " at " << moment);
            REQUIRE(look(disk.after_power_loss(moment, gen), model, moment).empty());
        }
    }
}

TEST_CASE("power loss: a second cut during recovery loses nothing either", "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    FaultyDisk disk;
    JournalModel model{gen.word()};
    live(disk, model, gen, 120);
    for (int cut = 0; cut < (thorough() ? 100 : 5); ++cut) {
        const std::size_t moment = 1 + gen.index(disk.moment());
        FaultyDisk second;
        second.fill(disk.after_power_loss(moment, gen));
        const std::size_t before = second.moment();
        require_ok(SqliteStore::open(kDatabase, second.name()));
        const std::size_t again = before + gen.index(second.moment() - before + 1);
        INFO("cut at " << moment << " and " << again);
        REQUIRE(look(second.after_power_loss(again, gen), model, moment).empty());
    }
}

TEST_CASE("power loss: the same test finds the loss where a disk lies about its syncs",
          "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    FaultyDisk disk;
    disk.lie_about_syncs();
    JournalModel model{gen.word()};
    live(disk, model, gen, 60);
    int losses = 0;
    // 23 to 38 of them lose data, over 150 seeds.
    for (int cut = 0; cut < 40; ++cut) {
        const std::size_t moment = 1 + gen.index(disk.moment());
        if (!look(disk.after_power_loss(moment, gen), model, moment).empty()) ++losses;
    }
    CHECK(losses > 5);
}

TEST_CASE("power loss: the same test finds the loss where commits are not synced", "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    int losses = 0;
    for (int life = 0; life < 5 && losses == 0; ++life) {
        FaultyDisk disk;
        JournalModel model{gen.word()};
        live(disk, model, gen, 20);
        auto store = SqliteStore::open(kDatabase, disk.name());
        require_ok(store);
        disk.lie_about_syncs();  // from here on, as with synchronous=OFF
        for (int i = 0; i < 10; ++i)
            require_ok(model.step(**store, disk));
        if (!look(disk.after_power_loss(disk.moment(), gen), model, disk.moment()).empty())
            ++losses;
    }
    CHECK(losses > 0);
}

TEST_CASE("power loss: pages of a failed sync in kernel memory take nothing with them",
          "[storage]") {
    // The next process can read the commit whose sync failed, although it is not on disk. Its own
    // acknowledged commits must not stand behind that hole.
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (int life = 0; life < 10; ++life) {
        FaultyDisk disk;
        JournalModel model{gen.word()};
        live(disk, model, gen, 30);
        disk.fail(FaultyDisk::Operation::kSync, 1 + gen.below(8), SQLITE_IOERR_FSYNC);
        auto store = SqliteStore::open(kDatabase, disk.name());
        Result<> done;
        for (int i = 0; store && done && i < 40; ++i)
            done = model.step(**store, disk);
        REQUIRE(disk.struck());
        if (store) store->reset();

        store = SqliteStore::open(kDatabase, disk.name());
        require_ok(store);
        require_ok((*store)->begin());
        const auto key = (*store)->create("later", at(0));
        require_ok(key);
        Chain chain;
        require_ok((*store)->append(*key, chain, std::vector{opening()}));
        require_ok((*store)->commit());
        const std::size_t moment = disk.moment();
        for (int cut = 0; cut < 10; ++cut) {
            FaultyDisk left;
            left.fill(disk.after_power_loss(moment, gen));
            const auto found = SqliteStore::open(kDatabase, left.name());
            require_ok(found);
            CHECK(model.faults(**found, moment) == "");
            CHECK((*found)->find("later").value() == *key);
        }
    }
}
