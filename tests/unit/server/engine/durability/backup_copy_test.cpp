// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "storage/sqlite/sqlite_copy.hpp"
#include "tests/support/supervised.hpp"

using namespace headway::core;
using namespace headway::server;
using namespace headway::storage;
using namespace headway::tests;

namespace {

Result<Answer> report(Supervised& s, const std::string& session, std::size_t count) {
    std::vector<Event> events;
    for (std::size_t i = 0; i < count; ++i) {
        Message message;
        message.role = "assistant";
        message.text = bounded_text(std::string(3'000, 'x'));
        events.push_back(event(std::move(message)));
    }
    return s.ask(ReportCommand{session, std::move(events), true, {}});
}

/// The number of steps until the copy has ended.
int run_to_end(Supervised& s) {
    int steps = 0;
    for (; s.copied.empty() && steps < 10'000; ++steps)
        s.engine().upkeep(false);
    REQUIRE(s.copied.size() == 1);
    return steps;
}

void start(Supervised& s, const std::filesystem::path& file) {
    std::vector<headway::tests::Command> commands;
    commands.push_back(BackupCommand{file.string()});
    CHECK(s.turn(std::move(commands)).empty());  // answered later
}

}  // namespace

TEST_CASE("engine: a backup is made in steps and holds what came meanwhile", "[server]") {
    const TempDir dir;
    Supervised s;
    for (int i = 0; i < 60; ++i)
        require_ok(report(s, "a", 20));
    start(s, dir.file("copy.db"));
    for (int i = 0; i < 3; ++i) {
        s.engine().upkeep(false);
        require_ok(report(s, "b" + std::to_string(i), 1));
    }
    CHECK(run_to_end(s) > 0);
    require_ok(s.copied.front().done);
    const auto counts = verify_database(dir.file("copy.db"));
    require_ok(counts);
    CHECK(counts->sessions == 4);
    CHECK(counts->head == s.sqlite().head());
    require_ok(report(s, "a", 1));
}

TEST_CASE("engine: there is one backup at a time", "[server]") {
    const TempDir dir;
    Supervised s;
    for (int i = 0; i < 20; ++i)
        require_ok(report(s, "a", 20));
    start(s, dir.file("one.db"));
    start(s, dir.file("two.db"));
    REQUIRE(s.copied.size() == 1);
    CHECK(code_of(s.copied.front().done) == ErrorCode::kBackupRunning);
    s.copied.clear();
    run_to_end(s);
    require_ok(s.copied.front().done);
    s.copied.clear();
    start(s, dir.file("three.db"));
    run_to_end(s);
    require_ok(verify_database(dir.file("three.db")));
}

TEST_CASE("engine: a backup is made in the turn that recovers from a failed commit", "[server]") {
    const TempDir dir;
    Supervised s;
    require_ok(report(s, "a", 5));
    s.store().fail(FailingStore::Step::kCommit, ErrorCode::kStorageUnavailable);
    CHECK_FALSE(report(s, "a", 1).has_value());
    s.store().fail(FailingStore::Step::kNone);
    start(s, dir.file("copy.db"));
    run_to_end(s);
    require_ok(s.copied.front().done);
}

TEST_CASE("engine: a backup that cannot be written ends, and the journal goes on", "[server]") {
    Supervised s;
    require_ok(report(s, "a", 5));
    start(s, "/nowhere/at/all.db");
    run_to_end(s);
    CHECK(code_of(s.copied.front().done) == ErrorCode::kBackupFailed);
    require_ok(report(s, "a", 5));
}

TEST_CASE("engine: a backup that the end of the daemon meets is answered", "[server]") {
    const TempDir dir;
    Supervised s;
    for (int i = 0; i < 20; ++i)
        require_ok(report(s, "a", 20));
    start(s, dir.file("copy.db"));
    s.queue().close();
    s.engine().run();
    REQUIRE(s.copied.size() == 1);
    CHECK(code_of(s.copied.front().done) == ErrorCode::kDraining);
}
