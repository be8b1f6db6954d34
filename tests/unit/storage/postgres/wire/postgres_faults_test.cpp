// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <catch2/catch.hpp>
#include <thread>

#include "storage/postgres/wire/hints.hpp"
#include "tests/support/postgres_here.hpp"
#include "tests/support/postgres_writer.hpp"

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

TEST_CASE("postgres: after a commit that the database refused the next transaction works",
          "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto store = here.daemon();
    PostgresWriter a{*store, "a"};
    a.hold();
    a.report({beat()});
    here.run("INSERT INTO journal(session,n,count,events,crc) VALUES(1,2,1,'',0)");
    CHECK_FALSE(store->commit());
    CHECK_FALSE(store->outcome_unknown());
    const auto breaks = store->breaks();
    store->rollback();
    require_ok(store->recover());
    require_ok(store->begin());
    require_ok(store->commit());
    CHECK(store->breaks() == breaks);
}

TEST_CASE("postgres: a commit that is answered as unknown may have been done", "[postgres]") {
    if (!PostgresHere::found()) return;
    struct {
        const char* state;
        bool unknown;
    } const cases[] = {{"40003", true},  {"08007", true},  {"08006", true},
                       {"08P01", true},  {"57P01", true},  {"40001", false},
                       {"23505", false}, {"57014", false}, {"53100", false}};
    const PostgresHere here;
    const auto store = here.daemon();
    PostgresWriter a{*store, "a"};
    here.run(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION "
        "USING ERRCODE=(SELECT state FROM answer); END $$");
    here.run("CREATE TABLE answer(state text)");
    here.run(
        "CREATE CONSTRAINT TRIGGER refuses AFTER INSERT ON journal DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION refuse()");
    for (const auto& c : cases) {
        DYNAMIC_SECTION(c.state) {
            here.run("DELETE FROM answer");
            here.run(std::string{"INSERT INTO answer VALUES('"} + c.state + "')");
            a.hold();
            a.report({beat()});
            CHECK_THAT(store->commit().error().detail, Catch::Contains(c.state));
            CHECK(store->outcome_unknown() == c.unknown);
            CHECK(store->may_try_again() == (std::string_view{c.state} == "40001"));
            store->rollback();
            CHECK(store->outcome_unknown() == c.unknown);
        }
    }
}

TEST_CASE("postgres: a daemon whose server takes no more writes goes on with another connection",
          "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto store = here.daemon();
    require_ok(store->pulse());
    here.run(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION "
        "USING ERRCODE='25006'; END $$");
    here.run(
        "CREATE TRIGGER refuses BEFORE INSERT ON daemon FOR EACH ROW EXECUTE FUNCTION refuse()");
    CHECK_FALSE(store->pulse());
    CHECK(store->breaks() == 1);
    here.run("DROP TRIGGER refuses ON daemon");
    require_ok(store->pulse());
    CHECK(store->breaks() == 1);
}

TEST_CASE("postgres: an idempotency key is looked up by one daemon after the other", "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto one = here.daemon("one");
    const auto two = here.daemon("two");
    require_ok(one->begin());
    REQUIRE_FALSE(one->idempotency().find_key("k").value());
    std::optional<IdempotentUse> found;
    std::thread other{[&] {
        if (!two->begin()) return;
        if (auto use = two->idempotency().find_key("k")) found = *std::move(use);
        two->rollback();
    }};
    while (here.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type='Lock' AND "
                       "query LIKE '%feed%'") == 0) {
    }
    require_ok(one->idempotency().add_key("k", {"print", "s"}, at(0)));
    require_ok(one->commit());
    other.join();
    REQUIRE(found);
    CHECK(found->session == "s");
}

TEST_CASE("postgres: times of a clock that ran ahead hide no gap and keep no lease", "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    std::int64_t time = 10'000'000;
    const auto now = [&time] { return at(time); };
    {
        const auto gone = here.daemon("gone", now);
        require_ok(gone->pulse());
        CHECK(gone->lease("work", Millis{60'000}).value());
    }
    time = 1'000'000;  // of the server that took over
    const auto one = here.daemon("one", now);
    require_ok(one->pulse());
    CHECK(one->lease("work", Millis{60'000}).value());
    time += 10'000;
    const auto pulse = one->pulse();
    require_ok(pulse);
    REQUIRE(pulse->gaps.size() == 1);
    CHECK(pulse->gaps[0].second == at(time));
    CHECK(pulse->daemons.size() == 1);
}

TEST_CASE("postgres: of many daemons those that serve are listed", "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto one = here.daemon("one");
    here.run(
        "INSERT INTO daemon(id,name,version,started_at,seen_at) SELECT 'd'||i,'x','',1,"
        "(extract(epoch FROM clock_timestamp())*1000)::bigint-60000 FROM "
        "generate_series(1,500) i");
    const auto pulse = one->pulse();
    require_ok(pulse);
    CHECK(pulse->daemons.size() == 100);
    CHECK(std::any_of(pulse->daemons.begin(), pulse->daemons.end(),
                      [](const DaemonSeen& daemon) { return daemon.id == "one"; }));
}

TEST_CASE("postgres: a daemon that was frozen while a migration began writes nothing into it",
          "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto frozen = here.daemon("frozen");
    require_ok(frozen->pulse());
    here.run("UPDATE daemon SET seen_at=seen_at-60000");
    PostgresStore::Settings settings;
    settings.connection.url = here.url();
    settings.id = "import";
    settings.imports = true;
    const auto store = PostgresStore::open(std::move(settings));
    require_ok(store);
    Import& import = (*store)->imports();
    require_ok(import.start());
    require_ok(import.add_sessions(std::vector<ImportedSession>{{7, "a", at(0), at(5), at(5), 1}}));

    const auto pulse = frozen->pulse();
    REQUIRE_FALSE(pulse.has_value());
    CHECK_THAT(pulse.error().detail, Catch::Contains("headway migrate"));
    const std::vector<std::string_view> names{"a", "b"};
    HoldRequest turn;
    turn.names = names;
    CHECK(code_of(frozen->hold(turn)) == ErrorCode::kStorageUnavailable);
    frozen->rollback();
    CHECK(code_of(frozen->delete_some(at(1000))) == ErrorCode::kStorageUnavailable);
    CHECK(here.number("SELECT count(*) FROM daemon") == 0);
    CHECK(here.number("SELECT count(*) FROM session WHERE name='a'") == 1);

    require_ok(import.finish({}));
    require_ok(frozen->pulse());
    CHECK(frozen->hold(turn).value().sessions.size() == 2);
    frozen->rollback();
}

TEST_CASE("postgres: a migration does not begin within the turn of a daemon", "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto slow = here.daemon("slow");
    HoldRequest turn;
    turn.names = {"a"};
    require_ok(slow->hold(turn));
    PostgresStore::Settings settings;
    settings.connection.url = here.url();
    settings.id = "import";
    settings.imports = true;
    const auto store = PostgresStore::open(std::move(settings));
    require_ok(store);
    CHECK_FALSE((*store)->imports().start());  // waits for a second
    slow->rollback();
    require_ok((*store)->imports().start());
}

TEST_CASE("postgres: a daemon that stopped while it tidied up does not stop the others",
          "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto one = here.daemon("one");
    here.run("INSERT INTO daemon(id,name,version,started_at,seen_at) VALUES('old','x','',1,1)");
    here.run("INSERT INTO lease(name,holder,until) VALUES('check:old','x',1)");
    PostgresConnection stopped{{here.url()}};
    require_ok(stopped.connect());
    require_ok(stopped.begin());
    require_ok(stopped.ask("DELETE FROM daemon WHERE id='old' RETURNING id"));
    require_ok(stopped.ask("DELETE FROM lease WHERE name='check:old' RETURNING name"));
    require_ok(one->pulse());
    stopped.rollback();
}

TEST_CASE("postgres: a server that is stopped does not hold up the thread of the hints",
          "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresConnection::Settings settings{here.url()};
    settings.answer_timeout = Millis{300};
    PostgresHints hints{settings, "one"};
    CHECK_FALSE(hints.wait(-1, Millis{1}));
    const auto server = here.number(
        "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND query LIKE "
        "'%'||current_schema()||'%'");
    REQUIRE(::kill(static_cast<pid_t>(server), SIGSTOP) == 0);
    hints.tell();  // returns
    CHECK(::kill(static_cast<pid_t>(server), SIGCONT) == 0);
}

TEST_CASE("postgres: hints are not taken from a server that takes no writes", "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto listens = [&here] {
        return here.number(
            "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND query LIKE "
            "'%'||current_schema()||'%'");
    };
    PostgresHints standby{{here.url() + "%20-cdefault_transaction_read_only%3Don"}, "one"};
    CHECK_FALSE(standby.wait(-1, Millis{1}));
    CHECK(listens() == 0);
    PostgresHints primary{{here.url()}, "two"};
    CHECK_FALSE(primary.wait(-1, Millis{1}));
    CHECK(listens() == 1);
}
