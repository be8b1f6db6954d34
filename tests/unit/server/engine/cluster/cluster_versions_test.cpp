// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "server/testclock/jumps.hpp"
#include "storage/base/checksum.hpp"
#include "tests/support/postgres_daemon.hpp"

// A daemon beside ones of a newer release.

using namespace headway::server;
using namespace headway::tests;
namespace core = headway::core;
namespace storage = headway::storage;
using testclock::Jump;

namespace {

/// Makes the newest row of the session one that a newer release has written.
void age(const PostgresHere& here, const std::string& session) {
    storage::PostgresConnection connection{{here.url()}};
    require_ok(connection.connect());
    const auto rows = connection.ask(
        "SELECT j.session,j.n,j.events FROM journal j JOIN session s ON s.key=j.session WHERE "
        "s.name='" +
        session + "' ORDER BY j.n DESC LIMIT 1");
    require_ok(rows);
    std::string events{rows->bytes(0, 2)};
    events.front() = '\x05';
    storage::PostgresParameters values;
    values.add(rows->integer(0, 0)).add(rows->integer(0, 1)).add_bytes(events);
    values.add(std::int64_t{
        storage::row_checksum(0, rows->integer(0, 0), rows->integer(0, 1), 0, events)});
    require_ok(
        connection.send("UPDATE journal SET events=$3,crc=$4 WHERE session=$1 AND n=$2", values));
    require_ok(connection.finish());
}

void wait_ms(std::int64_t ms) {
    testclock::jump(Jump::pass(core::Millis{ms}));
}

}  // namespace

TEST_CASE("cluster: a session with events of a newer version is refused, and no other",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon newer{here, "newer"};
    PostgresDaemon older{here, "older"};
    const bool known = GENERATE(false, true);  // to the older one, before
    newer.report("s", {beat()});
    if (known) older.report("s", {beat()});
    CHECK_FALSE(older.stats.outdated);
    newer.report("s", {beat()});
    age(here, "s");
    const std::int64_t n = here.number("SELECT n FROM session");
    const Command to_it = ReportCommand{"s", {beat()}, true, {}};
    const Command to_other = ReportCommand{"other", {beat()}, true, {}};
    const Command read = SessionQuery{"s"};
    older.replies().clear();
    older.turn({&to_it, &to_other, &read});
    for (int turns = 0; turns < 10 && older.replies().size() < 3; ++turns)
        older.turn();
    REQUIRE(older.replies().size() == 3);
    std::size_t accepted = 0;
    for (const Reply& reply : older.replies()) {
        accepted += reply.what.has_value() ? 1U : 0U;
        if (!reply.what) CHECK(reply.what.error().code == core::ErrorCode::kStorageTooNew);
    }
    CHECK(accepted == 1);
    CHECK(here.number("SELECT n FROM session WHERE name='s'") == n);
    wait_ms(600);
    older.turn();
    CHECK(older.stats.outdated);
    REQUIRE(older.lines.size() == 1);
    CHECK(older.lines.front().find("newer") != std::string::npos);
    CHECK(older.stats.commit_failures == 0);
    CHECK_FALSE(newer.stats.outdated);
}

TEST_CASE("cluster: what is due or told of a newer version waits for a daemon that can read it",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon newer{here, "newer"};
    newer.report("s", {beat()});
    newer.report("t", {beat()});
    age(here, "s");
    here.run("UPDATE session SET due_at=1");
    here.run("INSERT INTO inbox(session,event) SELECT key,'\\x0501'::bytea FROM session");
    PostgresDaemon older{here, "older"};
    for (int turns = 0; turns < 5; ++turns) {
        wait_ms(300);
        older.turn();
    }
    CHECK(older.stats.commit_failures == 0);
    CHECK(here.number("SELECT due_at FROM session WHERE name='s'") == 1);
    CHECK(here.number("SELECT coalesce(due_at,0) FROM session WHERE name='t'") != 1);
    CHECK(here.number("SELECT count(*) FROM inbox") == 2);
}

TEST_CASE("cluster: streams end where an event of a newer version follows", "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon newer{here, "newer"};
    PostgresDaemon older{here, "older"};
    older.stream({});
    newer.report("s", {beat()});
    age(here, "s");
    newer.report("t", {beat()});
    wait_ms(600);
    older.turn();
    CHECK(older.streams_end.find("newer") != std::string::npos);
    CHECK(older.events.empty());
    const auto page = older.try_ask(StreamQuery{{}, 0});
    REQUIRE_FALSE(page);
    CHECK(page.error().code == core::ErrorCode::kStorageTooNew);
    // Those who only follow from here on are served.
    older.streams_end.clear();
    newer.report("t", {beat_with_id("later")});
    wait_ms(600);
    older.turn();
    CHECK(older.streams_end.empty());
    REQUIRE(older.events.size() == 1);
    CHECK(older.events.front().event.event_id == "later");
}
