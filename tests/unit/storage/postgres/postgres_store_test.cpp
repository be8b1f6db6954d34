// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/postgres_store.hpp"

#include <catch2/catch.hpp>
#include <thread>

#include "core/base/limits.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/postgres_here.hpp"
#include "tests/support/postgres_writer.hpp"

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;
namespace limits = headway::core::limits;

namespace {

std::function<Timestamp()> fixed(std::int64_t ms) {
    return [ms] { return at(ms); };
}

}  // namespace

TEST_CASE("postgres: a new journal is empty", "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto store = here.daemon();
    require_ok(store->recover());
    CHECK(store->head() == 0);
    CHECK(store->oldest() == 1);
    CHECK(store->find("a").value() == std::nullopt);
    CHECK(store->read_stream(0, 10).value().events.empty());
    CHECK(code_of(store->load(1)) == ErrorCode::kUnknownSession);
}

TEST_CASE("postgres: cursors count events over all sessions and daemons, in the order of commits",
          "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto one = here.daemon("one");
    const auto two = here.daemon("two");
    PostgresWriter a{*one, "a"};
    PostgresWriter b{*two, "b"};
    CHECK(a.write({beat(), beat(), beat()}) == 3);
    CHECK(b.write({beat()}) == 6);
    CHECK(two->committed() == 6);
    CHECK(two->find("a").value() == a.key);
    const auto stream = one->read_stream(2, 10).value().events;
    REQUIRE(stream.size() == 4);
    CHECK(stream[0].cursor == 3);
    CHECK(stream[0].session == "a");
    CHECK(stream[0].event.n == 2);
    CHECK(stream[3].cursor == 6);
    CHECK(stream[3].session == "b");
    CHECK(one->read_stream(4, 1).value().events.front().cursor == 5);
}

TEST_CASE("postgres: a session is read back by any daemon, from a snapshot and what came after it",
          "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto one = here.daemon("one");
    const auto two = here.daemon("two");
    PostgresWriter a{*one, "a"};
    auto first = beat();
    first.event_id = "first";
    a.write({first, message("x")});
    CHECK((two->load(a.key).value().session.state() == a.session.state()));
    CHECK(two->load(a.key).value().new_ids.size() == 1);
    a.save();
    a.new_ids.clear();
    auto second = beat();
    second.event_id = "second";
    a.write({second});
    const auto loaded = two->load_all(std::vector<SessionKey>{a.key, 999}).value();
    REQUIRE(loaded.size() == 1);
    CHECK((loaded[0].session.state() == a.session.state()));
    CHECK(loaded[0].new_ids == EventIds{{"second", 4}});
    CHECK(two->find_event_id(a.key, "first").value() == 2);
    CHECK(two->find_event_id(a.key, "other").value() == std::nullopt);
    const auto page = two->read_session(a.key, {}, 1, 2).value();
    REQUIRE(page.size() == 2);
    CHECK(page[0].n == 2);
    CHECK(two->read_tails(std::vector<std::pair<SessionKey, std::uint64_t>>{{a.key, 3}})
              .value()
              .front()
              .events.size() == 1);
}

TEST_CASE("postgres: who holds a session keeps it to the end of the transaction", "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto one = here.daemon("one");
    const auto two = here.daemon("two");
    PostgresWriter a{*one, "a"};
    PostgresWriter b{*one, "b"};
    a.hold();
    HoldRequest claim;
    claim.names = {"a", "b", "new"};
    auto held = two->hold(claim);
    require_ok(held);
    REQUIRE(held->sessions.size() == 2);
    CHECK(held->sessions[0].name == "b");
    CHECK(held->sessions[0].n == 1);
    CHECK(held->sessions[1].name == "new");
    CHECK(held->sessions[1].n == 0);
    CHECK(two->find("new").value() == std::nullopt);
    require_ok(two->commit());
    a.report({beat()});
    require_ok(one->commit());
    claim.names = {"a"};
    held = two->hold(claim);
    require_ok(held);
    REQUIRE(held->sessions.size() == 1);
    CHECK(held->sessions[0].n == 2);
    two->rollback();
    CHECK(here.number("SELECT count(*) FROM session") == 2);
}

TEST_CASE("postgres: a name that another daemon adds waits for the next turn, not the others",
          "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto one = here.daemon("one");
    const auto two = here.daemon("two");
    HoldRequest claim;
    claim.names = {"x"};
    require_ok(one->hold(claim));
    const PostgresWriter b{*two, "b"};
    claim.names = {"x", "b"};
    const auto held = two->hold(claim);
    require_ok(held);
    REQUIRE(held->sessions.size() == 1);
    CHECK(held->sessions[0].name == "b");
    two->rollback();
    require_ok(one->commit());
    CHECK(here.number("SELECT count(*) FROM session WHERE name='x'") == 0);
}

TEST_CASE("postgres: what is due is claimed by one daemon, and later deadlines are not written",
          "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto one = here.daemon("one", fixed(5'000));
    const auto two = here.daemon("two", fixed(20'000));
    PostgresWriter a{*one, "a"};
    a.hold();
    one->set_due(a.key, at(10'000));
    require_ok(one->commit());
    a.hold();
    one->set_due(a.key, at(15'000));
    require_ok(one->commit());
    CHECK(here.number("SELECT due_at FROM session") == 1'700'000'010'000);
    HoldRequest due;
    due.due_max = 10;
    CHECK(one->hold(due).value().due.empty());
    one->rollback();
    CHECK(two->hold(due).value().due == std::vector{a.key});
    two->set_due(a.key, at(30'000));
    require_ok(two->commit());
    CHECK(here.number("SELECT due_at FROM session") == 1'700'000'030'000);
    CHECK(two->hold(due).value().due.empty());
    two->rollback();
}

TEST_CASE("postgres: a rollback leaves nothing, and the connection goes on", "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto store = here.daemon();
    PostgresWriter a{*store, "a"};
    a.hold();
    a.report({beat()});
    store->rollback();
    CHECK(here.number("SELECT n FROM session") == 1);
    CHECK(here.number("SELECT pos FROM feed") == 1);
    a.hold();
    store->rollback();
}

TEST_CASE("postgres: approvals and checks find their events although positions are known last",
          "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto store = here.daemon();
    PostgresWriter other{*store, "other"};
    other.write({beat(), beat()});
    PostgresWriter a{*store, "a"};
    a.hold();
    const Cursor cursor = a.report({beat(), beat()});
    Approval approval;
    approval.n = 3;
    require_ok(store->approvals().save_approval(a.key, approval, cursor + 1, 0));
    require_ok(store->checks().add_check("c1", a.key, cursor));
    require_ok(store->commit());
    CHECK(store->settled(cursor) == 5);
    CHECK(store->approvals().find_approval(a.key, 3).value()->cursor == 6);
    CHECK(store->checks().find_check("c1").value()->asked == 5);
    a.hold();
    const Cursor later = a.report({beat()});
    require_ok(store->approvals().save_approval(a.key, approval, 0, later));
    require_ok(store->checks().finish_check("c1", a.key, later));
    require_ok(store->commit());
    CHECK(store->approvals().find_approval(a.key, 3).value()->decided == 7);
    CHECK(store->checks().find_check("c1").value()->done == 7);
}

TEST_CASE("postgres: an id is found though its snapshot came between the hold and the load",
          "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto one = here.daemon("one");
    const auto two = here.daemon("two");
    PostgresWriter a{*one, "a"};
    Event event = beat();
    event.event_id = "x";
    a.write({event});
    HoldRequest wanted;
    wanted.names = {"a"};
    wanted.ids = {{"a", "x"}};
    require_ok(two->hold(wanted));
    a.save();
    const auto loaded = two->load_all({&a.key, 1});
    require_ok(loaded);
    REQUIRE(loaded->size() == 1);
    CHECK(loaded->front().new_ids.empty());
    CHECK(two->find_event_id(a.key, "x").value() == 2U);
    two->rollback();
}

TEST_CASE("postgres: what one daemon posts while another takes is not lost", "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto reader = here.daemon("reader");
    const auto writer = here.daemon("writer");
    constexpr std::size_t kMessages = 300;
    std::thread posts{[&] {
        for (std::size_t i = 0; i < kMessages; ++i) {
            if (!writer->begin() || !writer->inbox().post(1, beat()) || !writer->commit()) return;
        }
    }};
    std::size_t taken = 0;
    const auto take = [&] {
        require_ok(reader->begin());
        const auto messages = reader->inbox().take(1);
        require_ok(messages);
        taken += messages->size();
        require_ok(reader->commit());
    };
    for (int i = 0; i < 2'000 && taken < kMessages; ++i)
        take();
    posts.join();
    take();
    CHECK(taken == kMessages);
}

TEST_CASE("postgres: cursors grow within a transaction, also when the feed is locked in its middle",
          "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto store = here.daemon();
    PostgresWriter a{*store, "a"};
    a.hold();
    const Cursor before = a.report({beat()});
    Approval approval;
    approval.n = 2;
    require_ok(store->approvals().save_approval(a.key, approval, before, 0));
    const Cursor after = a.report({beat()});
    CHECK(after == before + 1);
    require_ok(store->commit());
    CHECK(store->settled(before) == 2);
    CHECK(store->settled(after) == 3);
}

TEST_CASE("postgres: time in which no daemon committed is a gap for all of them", "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    Timestamp now = at(0);
    const auto one = here.daemon("one", [&now] { return now; });
    const auto two = here.daemon("two", [&now] { return now; });
    CHECK(one->pulse().value().gaps.empty());
    now = at(1'000);
    CHECK(two->pulse().value().gaps.empty());
    now = at(3'000);  // one was away, but two was not
    CHECK(one->pulse().value().gaps.empty());
    now = at(63'000);
    const auto pulse = two->pulse().value();
    REQUIRE(pulse.gaps.size() == 1);
    CHECK(pulse.gaps[0] == std::pair{at(3'000), at(63'000)});
    CHECK(pulse.daemons.size() == 2);
    CHECK(one->pulse().value().gaps == pulse.gaps);
}

TEST_CASE("postgres: long gaps are known for as long as a request may wait", "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    constexpr std::int64_t kHour = 3'600'000;
    std::int64_t ms = 0;
    const auto one = here.daemon("one", [&ms] { return at(ms); });
    const auto pulse_after = [&](std::int64_t pause) {
        ms += pause;
        return one->pulse().value().gaps;
    };
    (void)pulse_after(0);
    (void)pulse_after(12 * kHour);
    const std::pair night{at(0), at(12 * kHour)};
    for (int i = 0; i < 40; ++i)
        (void)pulse_after(3'000);
    const auto known = pulse_after(3'000);
    CHECK(known.front() == night);
    CHECK(known.size() <= 32);
    CHECK(known.back().second == at(ms));
    const auto later = pulse_after(25 * kHour);  // the short ones are forgotten
    REQUIRE(later.size() == 2);
    CHECK(later.front() == night);
    CHECK(pulse_after(24 * 366 * kHour).front() != night);
}

TEST_CASE("postgres: a lease has one holder until it ends", "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    Timestamp now = at(0);
    const auto one = here.daemon("one", [&now] { return now; });
    const auto two = here.daemon("two", [&now] { return now; });
    require_ok(one->pulse());
    CHECK(one->lease("webhook:a", Millis{10'000}).value());
    CHECK(one->lease("webhook:a", Millis{10'000}).value());
    CHECK_FALSE(two->lease("webhook:a", Millis{10'000}).value());
    now = at(10'000);
    CHECK(two->lease("webhook:a", Millis{10'000}).value());
    require_ok(two->pulse());
    CHECK_FALSE(one->lease("webhook:a", Millis{10'000}).value());
    now = at(20'000);  // it has not ended, but two is not seen any more
    CHECK(one->lease("webhook:a", Millis{10'000}).value());
}

TEST_CASE("postgres: a message that takes its longest time is not sent by a second daemon",
          "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    Timestamp now = at(0);
    const auto one = here.daemon("one", [&now] { return now; });
    const auto two = here.daemon("two", [&now] { return now; });
    CHECK(one->outbox().claim_outbox_endpoint("ops").value());
    now = at(0) + limits::kWebhookTimeoutMax + Millis{5'000};  // until its result is stored
    require_ok(one->pulse());
    CHECK_FALSE(two->outbox().claim_outbox_endpoint("ops").value());
    now += Millis{60'000};
    require_ok(one->pulse());
    CHECK(two->outbox().claim_outbox_endpoint("ops").value());
}

TEST_CASE("postgres: a session that has ended is deleted with all its rows", "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto store = here.daemon();
    PostgresWriter a{*store, "a"};
    PostgresWriter b{*store, "b"};
    a.write({beat(), ended(Outcome::kCompleted)});
    a.save();
    bool doomed = false;
    for (int i = 0; i < 50; ++i) {
        const auto step = store->delete_some(at(1'000'000));
        require_ok(step);
        doomed = doomed || step->doomed == a.key;
        if (!step->more) break;
    }
    CHECK(doomed);
    CHECK(here.number("SELECT count(*) FROM session") == 1);
    for (const char* table : {"snapshot", "event_id"})
        CHECK(here.number(std::string{"SELECT count(*) FROM "} + table) == 0);
    CHECK(here.number("SELECT count(*) FROM journal WHERE session=" + std::to_string(a.key)) == 0);
    require_ok(store->recover());
    CHECK(store->oldest() == 6);
}

TEST_CASE("postgres: a recording whose import was not completed goes by its opening",
          "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto store = here.daemon();
    SessionStarted about;
    about.recorded = true;
    PostgresWriter half{*store, "half", about};
    half.write({beat()});
    CHECK_FALSE(store->delete_some(at(0)).value().more);
    CHECK(store->delete_some(at(1)).value().doomed == half.key);
}

TEST_CASE("postgres: an earlier generation goes with the last later one, and none before it",
          "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto store = here.daemon();
    const auto doomed = [&] {
        std::vector<std::string> ids;
        for (int steps = 0; steps < 50; ++steps) {
            const auto step = store->delete_some(at(1'000'000));
            require_ok(step);
            if (step->doomed) ids.push_back(step->doomed_id);
            if (!step->more) break;
        }
        return ids;
    };
    for (const char* id : {"a", "a~2"}) {
        PostgresWriter one{*store, id};
        one.write({ended(Outcome::kCompleted)});
        one.save();
    }
    PostgresWriter last{*store, "a~3"};
    last.write({beat()});
    CHECK(doomed().empty());
    last.write({ended(Outcome::kCompleted)});
    last.save();
    CHECK(doomed() == std::vector<std::string>{"a~3", "a~2", "a"});

    // More kept ones than a step looks at.
    const auto insert = [&](const std::string& rows) {
        return here.number(
            "WITH new AS (INSERT INTO session(name,opened_at,n,last_at,ended_at) SELECT " + rows +
            " FROM generate_series(1,300) AS i RETURNING 1) "
            "SELECT count(*) FROM new");
    };
    CHECK(insert("'k'||i,0,1,0,5") == 300);
    CHECK(insert("'k'||i||'~2',0,1,0,NULL::bigint") == 300);
    PostgresWriter due{*store, "due"};
    due.write({ended(Outcome::kCompleted)});
    due.save();
    CHECK(doomed() == std::vector<std::string>{"due"});
}

TEST_CASE("postgres: the stream passes over a session that is being deleted, a page at a time",
          "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    const auto store = here.daemon();
    PostgresWriter a{*store, "a"};
    for (int i = 0; i < 20; ++i)
        a.write({beat()});
    a.write({ended(Outcome::kCompleted)});
    a.save();
    const Cursor last = store->committed();
    PostgresWriter b{*store, "b"};
    b.write({beat()});
    REQUIRE(store->delete_some(at(1'000'000)).value().doomed == a.key);
    REQUIRE(here.number("SELECT count(*) FROM stream WHERE session=" + std::to_string(a.key)) > 20);
    require_ok(store->recover());
    CHECK(store->oldest() == last + 1);
    std::vector<Cursor> cursors;
    for (Cursor after = 0;;) {
        const auto page = store->read_stream(after, 4);
        require_ok(page);
        REQUIRE(page->through > after);
        REQUIRE(page->through <= after + 6);  // a row of the end may have two events
        for (const StreamEvent& one : page->events)
            cursors.push_back(one.cursor);
        after = page->through;
        if (page->end) break;
    }
    CHECK(cursors == std::vector<Cursor>{last + 1, last + 2});
}

TEST_CASE("postgres: a newer or an older schema is refused", "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    (void)here.daemon();
    const char* const other = GENERATE("version+1", "version-1");
    (void)here.number("UPDATE schema_version SET version=" + std::string{other} +
                      " RETURNING version");
    PostgresStore::Settings settings;
    settings.connection.url = here.url();
    settings.id = "one";
    CHECK(code_of(PostgresStore::open(std::move(settings))) == ErrorCode::kStorageTooNew);
}
