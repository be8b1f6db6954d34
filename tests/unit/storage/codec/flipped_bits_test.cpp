// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "storage/codec/codec.hpp"
#include "storage/sqlite/sqlite_copy.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

// Damaged data from the disk is never served as truth.

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

struct Agent {
    Session session;
    SessionKey key = 0;
    Chain chain;
};

Agent write(SqliteStore& store, const std::string& id, int rows, bool ends = false) {
    Agent agent{Session{id}, 0, {}};
    require_ok(store.begin());
    agent.key = store.create(id, at(0)).value();
    std::vector<Event> out;
    agent.session.open({}, {}, context(0), out);
    require_ok(store.append(agent.key, agent.chain, out));
    for (int i = 0; i < rows; ++i) {
        std::vector<Event> events{message("row " + std::to_string(i))};
        if (ends && i + 1 == rows) events = {ended(Outcome::kCompleted)};
        out.clear();
        agent.session.report(events, context(i), out);
        require_ok(store.append(agent.key, agent.chain, out));
    }
    require_ok(store.commit());
    return agent;
}

void save(SqliteStore& store, const Agent& agent) {
    require_ok(store.begin());
    require_ok(store.save(agent.key, agent.session, agent.chain, {}));
    require_ok(store.set_snapshot_cursor(store.head()));
    require_ok(store.commit());
}

std::unique_ptr<SqliteStore> opened(const TempDir& dir) {
    auto store = SqliteStore::open(dir.file());
    require_ok(store);
    return *std::move(store);
}

void execute(const TempDir& dir, const std::string& sql) {
    auto database = Database::open(dir.file().string());
    require_ok(database);
    require_ok(database->execute(sql.c_str()));
}

/// Replaces a blob and returns the old one.
std::string put(const TempDir& dir, const std::string& place, const std::string& bytes) {
    auto database = Database::open(dir.file().string());
    require_ok(database);
    const std::string table = place.substr(0, place.find(' '));
    const std::string column = table == "journal" ? "events" : "state";
    const std::string where = place.substr(place.find(' '));
    auto get = database->prepare("SELECT " + column + " FROM " + table + where);
    require_ok(get);
    REQUIRE(get->step().value());
    std::string before{get->blob(0)};
    get = Statement{};
    if (bytes.empty()) return before;
    auto set = database->prepare("UPDATE " + table + " SET " + column + "=?1" + where);
    require_ok(set);
    require_ok(set->bind_blob(1, bytes).run());
    return before;
}

std::string flipped(std::string bytes, std::size_t bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    return bytes;
}

struct Two {
    Agent a;
    Agent b;
};

Two two_sessions(const TempDir& dir, bool ends = false) {
    const auto store = opened(dir);
    Two two{write(*store, "a", 5, ends), write(*store, "b", 5, ends)};
    save(*store, two.a);
    save(*store, two.b);
    return two;
}

}  // namespace

TEST_CASE("flipped bits: each one in a journal row is noticed, and costs its session alone",
          "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    const TempDir dir;
    const auto [a, b] = two_sessions(dir);
    const std::string place = "journal WHERE cursor=3";
    const std::string sound = put(dir, place, {});
    for (int i = 0; i < 40; ++i) {
        const std::size_t bit = gen.index(sound.size() * 8);
        INFO("bit " << bit);
        put(dir, place, flipped(sound, bit));
        const auto store = opened(dir);
        require_ok(store->recover());
        REQUIRE(code_of(store->read_session(a.key, a.chain, 0, 100)) == ErrorCode::kStorageCorrupt);
        REQUIRE(code_of(store->read_stream(0, 100)) == ErrorCode::kStorageCorrupt);
        REQUIRE(store->read_session(b.key, b.chain, 0, 100).value().size() == b.session.state().n);
        REQUIRE(store->load(a.key).value().session.state() == a.session.state());  // its snapshot
    }
    CHECK(code_of(verify_database(dir.file())) == ErrorCode::kStorageCorrupt);
    put(dir, place, sound);
    require_ok(verify_database(dir.file()));
}

TEST_CASE("flipped bits: one event is readable beside damaged rows", "[storage]") {
    const TempDir dir;
    const auto [a, b] = two_sessions(dir);
    execute(dir, "UPDATE journal SET n=n+1 WHERE cursor IN (2,4)");
    const auto store = opened(dir);
    const auto one = store->read_stream(2, 1);
    require_ok(one);
    REQUIRE(one->events.size() == 1);
    CHECK(one->events.front().cursor == 3);
    CHECK(code_of(store->read_stream(1, 1)) == ErrorCode::kStorageCorrupt);
}

TEST_CASE("flipped bits: an approval that cannot be read keeps its place in lists", "[storage]") {
    const TempDir dir;
    {
        const auto store = opened(dir);
        const Agent a = write(*store, "a", 5);
        require_ok(store->begin());
        for (Cursor cursor = 2; cursor < 5; ++cursor) {
            Approval approval;
            approval.n = static_cast<std::uint64_t>(cursor);
            approval.tool = "deploy";
            require_ok(store->approvals().save_approval(a.key, approval, cursor, 0));
        }
        require_ok(store->commit());
    }
    execute(dir, "UPDATE approval SET state=x'ff' WHERE cursor=3");
    const auto store = opened(dir);
    const auto rows = store->approvals().list_approvals({});
    require_ok(rows);
    REQUIRE(rows->size() == 3);
    for (const StoredApproval& row : *rows) {
        CHECK(row.damaged == (row.cursor == 3));
        CHECK(row.session_id == "a");
    }
    CHECK(store->approvals().approval_at(3).value()->damaged);
    CHECK_FALSE(store->approvals().approval_at(4).value()->damaged);
    CHECK(store->approvals().approval_at(4).value()->approval.tool == "deploy");
}

TEST_CASE("flipped bits: a number of a journal row that changed is noticed", "[storage]") {
    const TempDir dir;
    const auto [a, b] = two_sessions(dir);
    const std::string change = GENERATE("session=2", "n=4", "prev=1", "prev=0", "crc=crc+1");
    CAPTURE(change);
    execute(dir, "UPDATE journal SET " + change + " WHERE cursor=3");
    const auto store = opened(dir);
    CHECK(code_of(store->read_session(a.key, a.chain, 0, 100)) == ErrorCode::kStorageCorrupt);
    CHECK(store->read_session(b.key, b.chain, 0, 100).value().size() == b.session.state().n);
}

TEST_CASE("flipped bits: a damaged snapshot is not used, the journal is read instead",
          "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    const TempDir dir;
    const auto [a, b] = two_sessions(dir);
    const std::string place = "session WHERE name='a'";
    const std::string sound = put(dir, place, {});
    for (int i = 0; i < 40; ++i) {
        const std::size_t bit = gen.index(sound.size() * 8);
        INFO("bit " << bit);
        put(dir, place, flipped(sound, bit));
        const auto loaded = opened(dir)->load(a.key);
        require_ok(loaded);
        REQUIRE(loaded->session.state() == a.session.state());
        REQUIRE(loaded->chain.tail == a.chain.tail);
        REQUIRE(loaded->snapshot_damaged);
        const auto counts = verify_database(dir.file());
        require_ok(counts);
        REQUIRE(counts->damaged_snapshots == 1);
        REQUIRE(counts->sessions == 2);
    }
    put(dir, place, sound);
    CHECK_FALSE(opened(dir)->load(a.key)->snapshot_damaged);
    CHECK(verify_database(dir.file())->damaged_snapshots == 0);
}

TEST_CASE("flipped bits: a copy with a damaged session is as good as what it was made from",
          "[storage]") {
    const TempDir dir;
    (void)two_sessions(dir);
    execute(dir, "UPDATE session SET tail=7 WHERE name='a'");
    const auto counts = verify_database(dir.file());
    require_ok(counts);
    CHECK(counts->sessions == 2);
    CHECK(counts->damaged_sessions == 1);
    CHECK(counts->damaged_snapshots == 0);
}

TEST_CASE("flipped bits: a session with a damaged journal pointer is refused alone", "[storage]") {
    const TempDir dir;
    const auto [a, b] = two_sessions(dir);
    const std::string change =
        GENERATE("tail=2", "tail=7", "n=3", "name='z'", "ended_at=5", "crc=crc+4294967296");
    CAPTURE(change);
    execute(dir, "UPDATE session SET " + change + " WHERE name='a'");
    const auto store = opened(dir);
    require_ok(store->recover());
    CHECK(code_of(store->load(a.key)) == ErrorCode::kStorageCorrupt);
    CHECK(store->load(b.key).value().session.state() == b.session.state());
}

TEST_CASE("flipped bits: with events behind the snapshot too, the start refuses no other session",
          "[storage]") {
    const TempDir dir;
    Agent a{Session{"a"}, 0, {}};
    Agent b{Session{"b"}, 0, {}};
    {
        const auto store = opened(dir);
        a = write(*store, "a", 5);
        save(*store, a);
        b = write(*store, "b", 5);
        std::vector<Event> events{message("behind it")};
        std::vector<Event> out;
        a.session.report(events, context(9), out);
        require_ok(store->begin());
        require_ok(store->append(a.key, a.chain, out));
        require_ok(store->commit());
    }
    execute(dir, "UPDATE session SET tail=2 WHERE name='a'");
    const auto store = opened(dir);
    const auto recovery = store->recover();
    require_ok(recovery);
    REQUIRE(recovery->sessions.size() == 1);
    CHECK(recovery->sessions.front().session.state() == b.session.state());
    CHECK(code_of(store->load(a.key)) == ErrorCode::kStorageCorrupt);
}

namespace {

/// Rows 1 to 6 are a's, of which a snapshot has the first three; 7 to 12 are b's, without one.
Two behind_a_snapshot(const TempDir& dir) {
    const auto store = opened(dir);
    Two two{write(*store, "a", 2), Agent{Session{"b"}, 0, {}}};
    save(*store, two.a);
    for (int i = 0; i < 3; ++i) {
        std::vector<Event> events{message("behind it " + std::to_string(i))};
        std::vector<Event> out;
        two.a.session.report(events, context(9 + i), out);
        require_ok(store->begin());
        require_ok(store->append(two.a.key, two.a.chain, out));
        require_ok(store->commit());
    }
    two.b = write(*store, "b", 5);
    return two;
}

}  // namespace

TEST_CASE("flipped bits: a damaged row behind the snapshots costs its session alone", "[storage]") {
    const TempDir dir;
    const auto [a, b] = behind_a_snapshot(dir);
    const std::string change = GENERATE(
        "UPDATE journal SET events=x'ff' WHERE cursor=4", "UPDATE journal SET n=9 WHERE cursor=5",
        "UPDATE journal SET crc=crc+1 WHERE cursor=6",
        "UPDATE journal SET crc=crc+1 WHERE cursor IN (4,5,6)",
        "DELETE FROM journal WHERE cursor=4", "DELETE FROM journal WHERE cursor=5");
    CAPTURE(change);
    execute(dir, change);
    for (int starts = 0; starts < 3; ++starts) {
        const auto store = opened(dir);
        const auto recovery = store->recover();
        require_ok(recovery);
        if (starts < 2) {
            REQUIRE(recovery->sessions.size() == 1);
            CHECK(recovery->sessions.front().session.state() == b.session.state());
        }
        // Not from its snapshot either: the next event would reuse a number.
        CHECK(code_of(store->load(a.key)) == ErrorCode::kStorageCorrupt);
        if (starts != 1) continue;
        require_ok(store->begin());  // as time passes, so that later starts do not see the row
        require_ok(store->save(b.key, b.session, b.chain, {}));
        require_ok(store->set_snapshot_cursor(store->head()));
        require_ok(store->commit());
    }
}

TEST_CASE("flipped bits: a row of unknown origin still refuses the start", "[storage]") {
    const TempDir dir;
    const auto [a, b] = behind_a_snapshot(dir);
    const std::string change = GENERATE("session=2", "session=9", "prev=0");
    CAPTURE(change);
    execute(dir, "UPDATE journal SET " + change + " WHERE cursor=6");
    CHECK(code_of(opened(dir)->recover()) == ErrorCode::kStorageCorrupt);
}

TEST_CASE("flipped bits: a damaged snapshot position is ignored", "[storage]") {
    const TempDir dir;
    Agent a{Session{"a"}, 0, {}};
    {
        const auto store = opened(dir);
        a = write(*store, "a", 2);
        save(*store, a);
        std::vector<Event> events{message("behind it")};
        std::vector<Event> out;
        a.session.report(events, context(9), out);
        require_ok(store->begin());
        require_ok(store->append(a.key, a.chain, out));
        require_ok(store->commit());
    }
    execute(dir, "UPDATE meta SET value=value+64 WHERE name='snapshot_cursor'");
    const auto recovery = opened(dir)->recover();
    require_ok(recovery);
    REQUIRE(recovery->sessions.size() == 1);
    CHECK(recovery->sessions.front().session.state() == a.session.state());
}

TEST_CASE("flipped bits: retention keeps a session whose end is only damage", "[storage]") {
    const TempDir dir;
    const auto [a, b] = two_sessions(dir);
    execute(dir, "UPDATE session SET ended_at=5 WHERE name='a'");
    const auto store = opened(dir);
    require_ok(store->recover());
    for (int i = 0; i < 20; ++i) {
        const auto step = store->delete_some(at(1'000'000));
        require_ok(step);
        CHECK_FALSE(step->doomed.has_value());
        if (!step->more) break;
    }
    CHECK(store->read_session(a.key, a.chain, 0, 100).value().size() == a.session.state().n);
}

TEST_CASE("flipped bits: retention goes past a damaged row, and into no other session",
          "[storage]") {
    const TempDir dir;
    const auto [a, b] = two_sessions(dir, true);
    const std::string change = GENERATE("events=x'ff'", "prev=1", "session=2");
    CAPTURE(change);
    execute(dir, "UPDATE journal SET " + change + " WHERE cursor=3");
    {
        const auto store = opened(dir);
        require_ok(store->recover());
        bool more = true;
        for (int i = 0; i < 50 && more; ++i) {
            const auto step = store->delete_some(at(1'000'000));
            require_ok(step);
            more = step->more;
        }
        CHECK_FALSE(more);
        CHECK(store->find("a").value() == std::nullopt);
        CHECK(store->find("b").value() == std::nullopt);
    }
    auto database = Database::open(dir.file().string());
    CHECK(database->query_integer("SELECT count(*) FROM session").value() == 0);
    CHECK(database->query_integer("SELECT count(*) FROM journal").value() <= 3);
}

TEST_CASE("flipped bits: rows and snapshots without a checksum are read as before", "[storage]") {
    const TempDir dir;
    const auto [a, b] = two_sessions(dir);
    execute(dir, "UPDATE journal SET crc=NULL; UPDATE session SET crc=NULL");
    const auto store = opened(dir);
    require_ok(store->recover());
    CHECK(store->load(a.key).value().session.state() == a.session.state());
    CHECK(store->read_session(b.key, b.chain, 0, 100).value().size() == b.session.state().n);
}

TEST_CASE("flipped bits: any snapshot without a checksum leaves its session usable", "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    const TempDir dir;
    const auto [a, b] = two_sessions(dir);
    execute(dir, "UPDATE session SET crc=NULL");
    const std::string place = "session WHERE name='a'";
    const std::string sound = put(dir, place, {});
    for (int i = 0; i < 60; ++i) {
        const std::size_t bit = gen.index(sound.size() * 8);
        INFO("bit " << bit);
        put(dir, place, flipped(sound, bit));
        const auto store = opened(dir);
        auto loaded = store->load(a.key);
        require_ok(loaded);
        std::vector<Event> out;
        for (int call = 0; call < 8; ++call) {
            std::vector<Event> events{tool_started("c"), tool_finished("c", call % 2 == 0), beat()};
            loaded->session.report(events, context(100 + call), out);
        }
        loaded->session.tick(context(1'000'000), out);
        require_ok(store->begin());
        require_ok(store->append(a.key, loaded->chain, out));
        require_ok(store->save(a.key, loaded->session, loaded->chain, {}));
        store->rollback();
    }
}

TEST_CASE("flipped bits: an unsound snapshot is not used", "[storage]") {
    const TempDir dir;
    const auto [a, b] = two_sessions(dir);
    SessionState wrong = a.session.state();
    const int what = GENERATE(0, 1, 2);
    if (what == 0) wrong.ledger.change().past_tiers = 0xf;
    if (what == 1) wrong.detectors.change().exact_repeat.patience = 0;
    if (what == 2) wrong.ledger.change().answers.resize(3);
    put(dir, "session WHERE name='a'", encode_state(wrong));
    execute(dir, "UPDATE session SET crc=NULL");
    CHECK(opened(dir)->load(a.key).value().session.state() == a.session.state());
}

TEST_CASE("flipped bits: nothing is written behind a missing row", "[storage]") {
    const TempDir dir;
    const auto [a, b] = two_sessions(dir);
    const std::string tail = GENERATE("99", "-1", "9223372036854775807");
    execute(dir,
            "UPDATE session SET crc=NULL; UPDATE session SET tail=" + tail + " WHERE name='a'");
    const auto store = opened(dir);
    require_ok(store->recover());
    CHECK(code_of(store->load(a.key)) == ErrorCode::kStorageCorrupt);
    CHECK(store->load(b.key).value().session.state() == b.session.state());
}

TEST_CASE("flipped bits: invalid index numbers are ignored", "[storage]") {
    const TempDir dir;
    const auto [a, b] = two_sessions(dir);
    {
        const auto store = opened(dir);
        require_ok(store->begin());
        require_ok(store->index().index_session(a.key, a.session, at(0)));
        require_ok(store->index().index_session(b.key, b.session, at(0)));
        require_ok(store->commit());
    }
    const std::string wrong = GENERATE("77", "-1", "4611686018427387904");
    execute(dir, "UPDATE session_index SET verdict=" + wrong + ",alarm=" + wrong +
                     ",alarm_at=1 WHERE session=" + std::to_string(a.key));
    const auto store = opened(dir);
    std::uint64_t open = 0;
    for (const std::uint64_t count : store->index().count_open().value())
        open += count;
    CHECK(open == 1);
    std::uint64_t alarms = 0;
    for (const std::uint64_t count : store->index().count_alarms().value())
        alarms += count;
    CHECK(alarms == 0);
    CHECK(store->index().alarms(10).value().empty());
}

TEST_CASE("flipped bits: a retention position out of bounds is ignored", "[storage]") {
    const TempDir dir;
    const auto [a, b] = two_sessions(dir);
    const std::string deleted = GENERATE("-4", "9223372036854775807");
    execute(dir,
            "INSERT OR REPLACE INTO meta(name,value) VALUES('deleted_through'," + deleted + ")");
    const auto store = opened(dir);
    CHECK(store->oldest() >= 1);
    CHECK(store->head() >= 12);
    Agent c = write(*store, "c", 2);
    CHECK(store->read_session(c.key, c.chain, 0, 100).value().size() == c.session.state().n);
}
