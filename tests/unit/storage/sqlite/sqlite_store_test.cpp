// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/sqlite_store.hpp"

#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <map>

#include "core/base/limits.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;
namespace limits = headway::core::limits;

namespace {

std::unique_ptr<SqliteStore> store_in(const TempDir& dir) {
    auto store = SqliteStore::open(dir.file());
    require_ok(store);
    return *std::move(store);
}

/// SQLite's own layer, where each file can only be read, as on a file system mounted so. A root
/// user, as tests may have, is stopped by no mode of a file.
class ReadOnlyFiles {
public:
    ReadOnlyFiles() : vfs_(*sqlite3_vfs_find(nullptr)) {
        vfs_.zName = "read-only";
        vfs_.xOpen = [](sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* out) {
            constexpr int kWrites = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
            sqlite3_vfs* const usual = sqlite3_vfs_find(nullptr);
            return usual->xOpen(usual, path, file, (flags & ~kWrites) | SQLITE_OPEN_READONLY, out);
        };
        REQUIRE(sqlite3_vfs_register(&vfs_, 0) == SQLITE_OK);
    }
    /// From now on files can be written, and none can be made beside them.
    void only_folder() {
        vfs_.xOpen = [](sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* out) {
            sqlite3_vfs* const usual = sqlite3_vfs_find(nullptr);
            const bool log = (flags & SQLITE_OPEN_WAL) != 0;
            if (!log) return usual->xOpen(usual, path, file, flags, out);
            file->pMethods = nullptr;
            return SQLITE_READONLY_DIRECTORY;  // as for a user who is not root
        };
    }
    ReadOnlyFiles(const ReadOnlyFiles&) = delete;
    ReadOnlyFiles& operator=(const ReadOnlyFiles&) = delete;
    ~ReadOnlyFiles() { sqlite3_vfs_unregister(&vfs_); }
    std::string name() const { return vfs_.zName; }

private:
    sqlite3_vfs vfs_;
};

/// A session written to the store like the engine does.
struct Writer {
    SqliteStore& store;
    Session session;
    SessionKey key = 0;
    Chain chain;
    EventIds new_ids;

    Writer(SqliteStore& to, const std::string& id, const SessionStarted& about = {})
        : store(to), session(id) {
        std::vector<Event> out;
        require_ok(store.begin());
        key = store.create(id, at(0)).value();
        session.open(about, Policy{}, context(0), out);
        append(out);
        require_ok(store.commit());
    }
    Cursor append(const std::vector<Event>& out) {
        const auto cursor = store.append(key, chain, out);
        require_ok(cursor);
        for (const Event& one : out) {
            if (!one.event_id.empty()) new_ids.add(one.event_id, one.n);
        }
        return *cursor;
    }
    /// Inside the caller's transaction.
    Cursor report(std::vector<Event> events) {
        std::vector<Event> out;
        session.report(events, context(10), out);
        return append(out);
    }
    /// `rows` reports of `size` messages, one commit.
    void fill(std::size_t rows, std::size_t size = 1) {
        require_ok(store.begin());
        for (std::size_t i = 0; i < rows; ++i)
            report(std::vector<Event>(size, message("log")));
        require_ok(store.commit());
    }
    void save() {
        require_ok(store.begin());
        require_ok(store.save(key, session, chain, new_ids));
        require_ok(store.set_snapshot_cursor(store.head()));
        require_ok(store.commit());
        new_ids.clear();
    }
    void end() {
        require_ok(store.begin());
        report({ended(Outcome::kCompleted)});
        require_ok(store.commit());
        save();
    }
};

std::int64_t count(const TempDir& dir, const std::string& table) {
    auto database = Database::open(dir.file().string());
    require_ok(database);
    return database->query_integer("SELECT count(*) FROM " + table).value();
}

/// Reads the whole stream in pages that each read a few rows: the events of each session. A row has
/// at most two, and `gap` in one piece are deleted.
std::map<std::string, std::size_t> in_pages(Store& store, std::size_t limit, Cursor gap) {
    std::map<std::string, std::size_t> found;
    for (Cursor after = 0;;) {
        const auto page = store.read_stream(after, limit);
        require_ok(page);
        REQUIRE(page->through > after);
        REQUIRE(page->through <= after + 2 * (static_cast<Cursor>(limit) + 1) + gap);
        for (const StreamEvent& one : page->events) {
            REQUIRE(one.cursor > after);
            REQUIRE(one.cursor <= page->through);
            ++found[one.session];
        }
        after = page->through;
        if (page->end) return found;
    }
}

}  // namespace

TEST_CASE("store: a new journal is empty", "[storage]") {
    const TempDir dir;
    const auto store = store_in(dir);
    CHECK(store->head() == 0);
    CHECK(store->oldest() == 1);
    CHECK(store->find("a").value() == std::nullopt);
    const auto recovery = store->recover();
    require_ok(recovery);
    CHECK(recovery->sessions.empty());
    CHECK(recovery->events == 0);
    CHECK(store->read_stream(0, 10).value().events.empty());
    CHECK(code_of(store->load(1)) == ErrorCode::kUnknownSession);
}

TEST_CASE("store: cursors count events over all sessions", "[storage]") {
    const TempDir dir;
    const auto store = store_in(dir);
    Writer a{*store, "a"};
    Writer b{*store, "b"};
    require_ok(store->begin());
    CHECK(a.report({beat(), beat(), beat()}) == 3);
    CHECK(b.report({beat()}) == 6);
    require_ok(store->commit());
    CHECK(store->head() == 6);
    CHECK(store->find("b").value() == b.key);
}

TEST_CASE("store: a journal is read in pages across rows and marks", "[storage]") {
    const TempDir dir;
    const auto store = store_in(dir);
    Writer a{*store, "a"};
    Writer b{*store, "b"};
    for (int i = 0; i < 6; ++i) {
        a.fill(30, 3);
        b.fill(10, 1);
    }
    const std::uint64_t total = a.session.state().n;
    REQUIRE(total > 4 * limits::kMarkEveryEvents);
    for (const std::size_t page : {std::size_t{1}, std::size_t{7}, std::size_t{128}, total + 5}) {
        std::uint64_t n = 0;
        while (n < total) {
            const auto events = store->read_session(a.key, a.chain, n, page);
            require_ok(events);
            REQUIRE(events->size() == std::min<std::uint64_t>(page, total - n));
            for (const Event& one : *events)
                REQUIRE(one.n == ++n);
        }
        CHECK(store->read_session(a.key, a.chain, total, page).value().empty());
    }
}

TEST_CASE("store: a row longer than the distance of marks is found", "[storage]") {
    const TempDir dir;
    const auto store = store_in(dir);
    Writer a{*store, "a"};
    a.fill(3, 500);
    for (const std::uint64_t after : {0ULL, 127ULL, 128ULL, 500ULL, 501ULL, 1000ULL, 1500ULL}) {
        const auto events = store->read_session(a.key, a.chain, after, 2);
        require_ok(events);
        REQUIRE_FALSE(events->empty());
        CHECK(events->front().n == after + 1);
    }
}

TEST_CASE("store: the stream is read from anywhere, also from within a row", "[storage]") {
    const TempDir dir;
    const auto store = store_in(dir);
    Writer a{*store, "a"};
    Writer b{*store, "b"};
    for (int i = 0; i < 5; ++i) {
        a.fill(2, 4);
        b.fill(3, 1);
    }
    const Cursor head = store->head();
    for (Cursor after = 0; after <= head; ++after) {
        const auto page = store->read_stream(after, 5);
        require_ok(page);
        REQUIRE(page->events.size() >= static_cast<std::size_t>(std::min<Cursor>(5, head - after)));
        Cursor expected = after;
        for (const StreamEvent& one : page->events)
            REQUIRE(one.cursor == ++expected);
        REQUIRE(page->through == expected);
        REQUIRE(page->end == (expected == head));
    }
    CHECK(store->read_stream(0, 1).value().events.front().session == "a");
    CHECK(store->read_stream(head + 100, 5).value().events.empty());
}

TEST_CASE("store: the stream passes over a session that is being deleted, a page at a time",
          "[storage]") {
    const TempDir dir;
    Cursor last = 0;
    Cursor gap = 0;
    {
        const auto store = store_in(dir);
        Writer before{*store, "before"};
        Writer doomed{*store, "doomed"};
        doomed.fill(200);
        doomed.end();
        last = store->head();
        Writer behind{*store, "behind"};
        behind.fill(4);
        require_ok(store->begin());
        require_ok(store->forget(doomed.key));
        require_ok(store->commit());
    }
    SECTION("from the moment that it is unknown") {
        const auto store = store_in(dir);
        CHECK(store->oldest() == 1);
        REQUIRE(store->delete_some(kNever).value().doomed_id == "doomed");
        CHECK(store->oldest() == last + 1);
    }
    SECTION("what is left of it, when its chain was broken") {
        {
            auto database = Database::open(dir.file().string());
            require_ok(database->execute("DELETE FROM journal WHERE cursor=100"));
        }
        const auto store = store_in(dir);
        while (store->delete_some(kNever).value().more) {
        }
        gap = last - 99;
    }
    CHECK(count(dir, "journal WHERE session=2") > 90);
    const auto store = store_in(dir);
    const std::map<std::string, std::size_t> rest{{"before", 1}, {"behind", 5}};
    CHECK(in_pages(*store, 1, gap) == rest);
    CHECK(in_pages(*store, 2, gap) == rest);
    CHECK(in_pages(*store, 32, gap) == rest);
}

TEST_CASE("store: event ids are known once the session was saved", "[storage]") {
    const TempDir dir;
    const auto store = store_in(dir);
    Writer a{*store, "a"};
    require_ok(store->begin());
    a.report({with_id(beat(), "e1"), with_id(beat(), "e2")});
    require_ok(store->commit());
    a.save();
    CHECK(store->find_event_id(a.key, "e1").value() == 2U);
    CHECK(store->find_event_id(a.key, "e2").value() == 3U);
    CHECK(store->find_event_id(a.key, "e3").value() == std::nullopt);
    CHECK(store->find_event_id(a.key + 1, "e1").value() == std::nullopt);
}

TEST_CASE("store: idempotency keys keep the first use", "[storage]") {
    const TempDir dir;
    const auto store = store_in(dir);
    CHECK(store->idempotency().find_key("k").value().has_value() == false);
    require_ok(store->begin());
    require_ok(store->idempotency().add_key("k", {"print", "a"}, at(0)));
    require_ok(store->commit());
    const auto use = store->idempotency().find_key("k").value();
    REQUIRE(use.has_value());
    CHECK(use->fingerprint == "print");
    CHECK(use->session == "a");
}

TEST_CASE("store: recovery replays events behind the snapshots", "[storage]") {
    const TempDir dir;
    SessionState a_state;
    SessionState b_state;
    {
        const auto store = store_in(dir);
        Writer a{*store, "a"};
        a.fill(5);
        a.save();
        Writer b{*store, "b"};
        b.fill(4);
        a.fill(2);
        a_state = a.session.state();
        b_state = b.session.state();
    }
    const auto store = store_in(dir);
    auto recovery = store->recover();
    require_ok(recovery);
    CHECK(recovery->head == store->head());
    CHECK(recovery->snapshots == 6);
    CHECK(recovery->events == 7);
    REQUIRE(recovery->sessions.size() == 2);
    for (const StoredSession& stored : recovery->sessions)
        CHECK(stored.session.state() == (stored.session.id() == "a" ? a_state : b_state));
    CHECK(store->open_sessions().value().size() == 2);
}

TEST_CASE("store: recovery brings back the event ids past the snapshot", "[storage]") {
    const TempDir dir;
    {
        const auto store = store_in(dir);
        Writer a{*store, "a"};
        require_ok(store->begin());
        a.report({with_id(beat(), "e1")});
        require_ok(store->commit());
    }
    const auto store = store_in(dir);
    const auto recovery = store->recover();
    require_ok(recovery);
    REQUIRE(recovery->sessions.size() == 1);
    CHECK(recovery->sessions[0].new_ids == EventIds{{"e1", 2}});
}

TEST_CASE("store: a recovered chain reads back and goes on", "[storage]") {
    const TempDir dir;
    {
        const auto store = store_in(dir);
        Writer a{*store, "a"};
        a.fill(3);
        a.save();
        a.fill(3);
    }
    const auto store = store_in(dir);
    auto recovery = store->recover();
    require_ok(recovery);
    StoredSession& stored = recovery->sessions.at(0);
    require_ok(store->begin());
    std::vector<Event> in{beat()};
    std::vector<Event> out;
    stored.session.report(in, context(20), out);
    require_ok(store->append(stored.key, stored.chain, out));
    require_ok(store->commit());
    CHECK(store->read_session(stored.key, stored.chain, 0, 100).value().size() == 8);
}

TEST_CASE("store: a session is loaded from its snapshot, or else by replay", "[storage]") {
    const TempDir dir;
    SessionState state;
    SessionKey key = 0;
    {
        const auto store = store_in(dir);
        Writer a{*store, "a"};
        a.fill(40, 5);
        a.save();
        state = a.session.state();
        key = a.key;
        CHECK(store->load(key).value().session.state() == state);
        CHECK(store->load(key).value().chain.tail == a.chain.tail);
    }
    SECTION("with a snapshot of another version") {
        auto database = Database::open(dir.file().string());
        require_ok(database);
        require_ok(database->execute("UPDATE session SET state=x'7f'"));
    }
    SECTION("with a corrupt snapshot") {
        auto database = Database::open(dir.file().string());
        require_ok(database);
        require_ok(database->execute("UPDATE session SET state=substr(state,1,5)"));
    }
    const auto store = store_in(dir);
    const auto loaded = store->load(key);
    require_ok(loaded);
    CHECK(loaded->session.state() == state);
    CHECK(loaded->session.id() == "a");
}

TEST_CASE("store: after an error during a read the next one has its own parameters", "[storage]") {
    const TempDir dir;
    {
        const auto store = store_in(dir);
        Writer a{*store, "a"};
        a.fill(9);
    }
    {
        auto database = Database::open(dir.file().string());
        require_ok(database->execute("UPDATE journal SET events=x'ff' WHERE cursor=3"));
    }
    const auto store = store_in(dir);
    REQUIRE(code_of(store->read_stream(1, 100)) == ErrorCode::kStorageCorrupt);
    const auto others = store->read_stream(6, 1);
    require_ok(others);
    std::vector<Cursor> cursors;
    for (const StreamEvent& one : others->events)
        cursors.push_back(one.cursor);
    CHECK(cursors == std::vector<Cursor>{7});
}

TEST_CASE("store: a missing row is reported as corruption", "[storage]") {
    const TempDir dir;
    Chain chain;
    SessionKey key = 0;
    {
        const auto store = store_in(dir);
        Writer a{*store, "a"};
        a.fill(5);
        chain = a.chain;
        key = a.key;
    }
    {
        auto database = Database::open(dir.file().string());
        require_ok(database->execute("DELETE FROM journal WHERE cursor=3"));
    }
    const auto store = store_in(dir);
    CHECK(code_of(store->read_session(key, chain, 0, 100)) == ErrorCode::kStorageCorrupt);
}

TEST_CASE("store: a journal that cannot be followed is corruption, never a crash", "[storage]") {
    const TempDir dir;
    SessionKey key = 0;
    const bool saved = GENERATE(false, true);
    {
        const auto store = store_in(dir);
        Writer a{*store, "a"};
        a.fill(5);
        if (saved) a.save();
        key = a.key;
    }
    const std::string damage = GENERATE("DELETE FROM journal WHERE cursor=3",  // in the middle
                                        "DELETE FROM journal WHERE cursor<3",  // the beginning
                                        "UPDATE journal SET n=9 WHERE cursor=3");
    CAPTURE(saved, damage);
    {
        auto database = Database::open(dir.file().string());
        require_ok(database->execute("UPDATE session SET state=NULL"));
        require_ok(database->execute(damage.c_str()));
    }
    const auto store = store_in(dir);
    if (!saved) {
        const auto recovery = store->recover();
        require_ok(recovery);
        CHECK(recovery->sessions.empty());
    }
    CHECK(code_of(store->load(key)) == ErrorCode::kStorageCorrupt);
}

TEST_CASE("store: a chain that leads in a circle is corruption, never a hang", "[storage]") {
    const TempDir dir;
    SessionKey key = 0;
    Chain chain;
    {
        const auto store = store_in(dir);
        Writer a{*store, "a"};
        a.fill(5);
        a.save();
        key = a.key;
        chain = a.chain;
    }
    {
        auto database = Database::open(dir.file().string());
        require_ok(database->execute("UPDATE session SET state=NULL"));
        require_ok(database->execute("UPDATE journal SET prev=cursor WHERE cursor=3"));
    }
    const auto store = store_in(dir);
    CHECK(code_of(store->load(key)) == ErrorCode::kStorageCorrupt);
    CHECK(code_of(store->read_session(key, chain, 0, 100)) == ErrorCode::kStorageCorrupt);
}

TEST_CASE("store: a rollback leaves nothing and its cursors are used again", "[storage]") {
    const TempDir dir;
    const auto store = store_in(dir);
    Writer a{*store, "a"};
    const Cursor head = store->head();
    const Chain chain = a.chain;
    require_ok(store->begin());
    require_ok(store->create("b", at(0)));
    require_ok(store->idempotency().add_key("k", {"p", "b"}, at(0)));
    CHECK(a.report({beat(), beat()}) == head + 1);
    store->rollback();
    CHECK(store->head() == head);
    CHECK(store->find("b").value() == std::nullopt);
    CHECK_FALSE(store->idempotency().find_key("k").value().has_value());
    CHECK(store->read_stream(head, 10).value().events.empty());
    require_ok(store->begin());
    Chain again = chain;
    std::vector<Event> events{beat()};
    events[0].n = 2;
    CHECK(store->append(a.key, again, events).value() == head + 1);
    require_ok(store->commit());
}

// If a cursor went back, every later append would collide with its own rows until a restart.
TEST_CASE("store: a rollback outside a transaction changes nothing", "[storage]") {
    const TempDir dir;
    const auto store = store_in(dir);
    const Writer a{*store, "a"};
    const Cursor head = store->head();
    store->rollback();
    CHECK(store->head() == head);
}

TEST_CASE("store: retention deletes in bounded steps until nothing is left", "[storage]") {
    const TempDir dir;
    {
        const auto store = store_in(dir);
        Writer old{*store, "old"};
        require_ok(store->begin());
        for (int i = 0; i < 1200; ++i)
            old.report({with_id(message("log"), "e" + std::to_string(i))});
        require_ok(store->commit());
        old.end();
        Writer live{*store, "live"};
        live.fill(10);
        live.save();

        int steps = 0;
        bool more = true;
        while (more) {
            const auto step = store->delete_some(at(1'000'000));
            require_ok(step);
            more = step->more;
            REQUIRE(++steps < 50);
            CHECK(store->find("old").value() == std::nullopt);
        }
        CHECK(steps > 3);
        CHECK(store->oldest() > 1200);
        CHECK(store->read_session(live.key, live.chain, 0, 100).value().size() == 11);
        CHECK(code_of(store->load(old.key)) == ErrorCode::kUnknownSession);
        for (const StreamEvent& one : store->read_stream(0, 2000).value().events)
            CHECK(one.session == "live");
    }
    CHECK(count(dir, "session") == 1);
    CHECK(count(dir, "journal") == 11);
    CHECK(count(dir, "event_id") == 0);
    CHECK(count(dir, "mark WHERE session=1") == 0);
}

TEST_CASE("store: retention keeps open sessions and those that ended later", "[storage]") {
    const TempDir dir;
    const auto store = store_in(dir);
    Writer open{*store, "open"};
    open.save();
    Writer ended_at_10{*store, "ended"};
    ended_at_10.end();
    CHECK(store->delete_some(at(10)).value().more == false);
    CHECK(store->find("ended").value().has_value());
    const Deletion step = store->delete_some(at(11)).value();
    CHECK(step.more);
    CHECK(step.doomed == ended_at_10.key);
    CHECK(store->find("ended").value() == std::nullopt);
    CHECK(store->find("open").value().has_value());
}

TEST_CASE("store: a recording whose import was not completed goes by its opening", "[storage]") {
    const TempDir dir;
    const auto store = store_in(dir);
    SessionStarted about;
    about.recorded = true;
    Writer half{*store, "half", about};
    half.fill(3);
    half.save();
    CHECK_FALSE(store->delete_some(at(0)).value().more);
    CHECK(store->delete_some(at(1)).value().doomed == half.key);
}

TEST_CASE("store: an earlier generation goes with the last later one, in the same walk",
          "[storage]") {
    const TempDir dir;
    const auto store = store_in(dir);
    for (const char* id : {"a", "a~2", "a~3"})
        Writer{*store, id}.end();
    std::vector<std::string> doomed;
    while (true) {
        const auto step = store->delete_some(at(1000));
        require_ok(step);
        if (step->doomed) doomed.push_back(step->doomed_id);
        if (!step->more) break;
    }
    CHECK(doomed == std::vector<std::string>{"a~3", "a~2", "a"});
}

TEST_CASE("store: retention looks at a bounded number of kept sessions in each step", "[storage]") {
    const TempDir dir;
    auto store = store_in(dir);
    constexpr auto kLooks = static_cast<std::int64_t>(RetentionWalk::kLooksPerStep);
    Writer{*store, "due"}.end();
    const std::string many =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<" +
        std::to_string(2 * kLooks) + ") INSERT INTO session";
    store.reset();
    {
        auto database = Database::open(dir.file().string());
        require_ok(database->execute(
            (many + "(name,opened_at,ended_at) SELECT 'k'||i,0,5 FROM n").c_str()));
        require_ok(
            database->execute((many + "(name,opened_at) SELECT 'k'||i||'~2',0 FROM n").c_str()));
    }
    store = store_in(dir);
    for (int pages = 0; pages < 2; ++pages) {
        const auto step = store->delete_some(at(1000));
        require_ok(step);
        CHECK(step->more);
        CHECK_FALSE(step->doomed);
    }
    CHECK(store->delete_some(at(1000)).value().doomed_id == "due");
    for (int steps = 0; store->delete_some(at(1000)).value().more; ++steps)
        REQUIRE(steps < 10);
    CHECK(store->find("k200").value().has_value());
}

TEST_CASE("store: idempotency keys live as long as sessions, then are free again", "[storage]") {
    const TempDir dir;
    const auto store = store_in(dir);
    require_ok(store->begin());
    require_ok(store->idempotency().add_key("old", {"f", "a"}, at(10)));
    require_ok(store->idempotency().add_key("young", {"f", "b"}, at(20)));
    require_ok(store->commit());
    while (store->delete_some(at(20)).value().more) {
    }
    CHECK_FALSE(store->idempotency().find_key("old").value().has_value());
    CHECK(store->idempotency().find_key("young").value().has_value());
    require_ok(store->begin());
    require_ok(store->idempotency().add_key("old", {"g", "c"}, at(30)));
    require_ok(store->idempotency().add_key("young", {"g", "c"}, at(30)));
    require_ok(store->commit());
    CHECK(store->idempotency().find_key("old").value()->session == "c");
    CHECK(store->idempotency().find_key("young").value()->session == "c");
}

TEST_CASE("store: a restart in the middle of retention finishes it", "[storage]") {
    const TempDir dir;
    {
        const auto store = store_in(dir);
        Writer old{*store, "old"};
        old.fill(700);
        old.end();
        require_ok(store->delete_some(at(1000)));
        require_ok(store->delete_some(at(1000)));
    }
    const auto store = store_in(dir);
    require_ok(store->recover());
    CHECK(store->oldest() > 1);
    CHECK(store->open_sessions().value().empty());
    while (store->delete_some(at(1000)).value().more) {
    }
    CHECK_FALSE(store->find("old").value().has_value());
    CHECK(store->read_stream(0, 10).value().events.empty());
}

TEST_CASE("store: a session to be forgotten goes whatever retention says, also after a restart",
          "[storage]") {
    const TempDir dir;
    const std::string secret = "correct horse battery staple";
    {
        const auto store = store_in(dir);
        Writer ended{*store, "ended"};
        Message text;
        text.text.kept = secret;
        require_ok(store->begin());
        for (int i = 0; i < 700; ++i)
            ended.report({event(text)});
        require_ok(store->commit());
        ended.end();
        Writer other{*store, "other"};
        other.end();

        CHECK_FALSE(store->delete_some(kNever).value().more);
        require_ok(store->begin());
        require_ok(store->forget(ended.key));
        require_ok(store->commit());
        REQUIRE(store->delete_some(kNever).value().more);
    }
    {
        const auto store = store_in(dir);
        require_ok(store->recover());
        int steps = 0;
        while (store->delete_some(kNever).value().more)
            REQUIRE(++steps < 50);
        CHECK_FALSE(store->find("ended").value().has_value());
        CHECK(store->find("other").value().has_value());
        require_ok(store->checkpoint(1));
    }
    CHECK(count(dir, "session") == 1);
    CHECK(count(dir, "meta WHERE name LIKE 'forget%'") == 0);
    CHECK(count(dir, "journal WHERE session<>2") == 0);
    std::ifstream file(dir.file(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    CHECK(bytes.find("other") != std::string::npos);
    CHECK(bytes.find(secret) == std::string::npos);
}

TEST_CASE("store: a session that was told to be forgotten twice goes once", "[storage]") {
    const TempDir dir;
    const auto store = store_in(dir);
    Writer ended{*store, "ended"};
    ended.end();
    for (int i = 0; i < 2; ++i) {
        require_ok(store->begin());
        require_ok(store->forget(ended.key));
        require_ok(store->commit());
    }
    const Deletion first = store->delete_some(kNever).value();
    CHECK(first.doomed == ended.key);
    CHECK(first.doomed_id == "ended");
    while (store->delete_some(kNever).value().more) {
    }
    const Writer again{*store, "ended"};
    CHECK_FALSE(store->delete_some(kNever).value().more);
    CHECK(store->find("ended").value().has_value());
}

TEST_CASE("store: retention writes little and takes no long step", "[storage]") {
    const TempDir dir;
    const auto store = store_in(dir);
    Writer old{*store, "old"};
    Message text;
    text.text.kept = std::string(4'000, 'x');
    const std::vector<Event> large(200, event(std::move(text)));
    require_ok(store->begin());
    for (int i = 0; i < 24; ++i)
        old.report(large);
    require_ok(store->commit());
    old.end();
    const std::int64_t written = store->wal_pages();
    require_ok(store->checkpoint(1));
    int steps = 0;
    while (store->delete_some(at(1'000'000)).value().more)
        REQUIRE(++steps < 50);
    INFO(written << " pages written, " << store->wal_pages() << " to delete them");
    CHECK(store->wal_pages() < written / 8);
    CHECK(steps > 6);
}

TEST_CASE("store: cursors are not used again after the last row was deleted", "[storage]") {
    const TempDir dir;
    Cursor head = 0;
    {
        const auto store = store_in(dir);
        Writer old{*store, "old"};
        old.fill(3);
        old.end();
        head = store->head();
        while (store->delete_some(at(1000)).value().more) {
        }
        CHECK(store->head() == head);
    }
    const auto store = store_in(dir);
    CHECK(store->head() == head);
    CHECK(store->oldest() == head + 1);
    const Writer fresh{*store, "old"};
    CHECK(fresh.chain.tail == head + 1);
}

TEST_CASE("store: a checkpoint moves the pages when enough wait", "[storage]") {
    const TempDir dir;
    const auto store = store_in(dir);
    Writer a{*store, "a"};
    a.fill(50, 20);
    const std::int64_t pages = store->wal_pages();
    REQUIRE(pages > 1);
    require_ok(store->checkpoint(static_cast<int>(pages) + 1));
    CHECK(store->wal_pages() == pages);
    require_ok(store->checkpoint(1));
    CHECK(store->wal_pages() == 0);
    CHECK(store->read_session(a.key, a.chain, 0, 2000).value().size() == 1001);
}

TEST_CASE("store: files that are not ours to open are refused", "[storage]") {
    const TempDir dir;
    SECTION("a newer schema") {
        (void)store_in(dir);
        require_ok(Database::open(dir.file().string())->execute("PRAGMA user_version=99"));
        CHECK(code_of(SqliteStore::open(dir.file())) == ErrorCode::kStorageTooNew);
    }
    SECTION("the database of another program") {
        require_ok(Database::open(dir.file().string())->execute("CREATE TABLE theirs(x)"));
        CHECK(code_of(SqliteStore::open(dir.file())) == ErrorCode::kStorageCorrupt);
        CHECK(count(dir, "theirs") == 0);
    }
    SECTION("no database at all") {
        std::ofstream(dir.file()) << std::string(4096, 'x');
        const auto refused = SqliteStore::open(dir.file());
        CHECK(code_of(refused) == ErrorCode::kStorageCorrupt);
        CHECK_THAT(refused.error().detail,
                   Catch::StartsWith(dir.file().string() + " is not a database of Headway"));
    }
    SECTION("a file system that is read-only") {
        (void)store_in(dir);
        const ReadOnlyFiles files;
        const auto refused = SqliteStore::open(dir.file(), files.name());
        CHECK(code_of(refused) == ErrorCode::kStorageUnavailable);
        CHECK_THAT(refused.error().detail,
                   Catch::StartsWith(dir.file().string() + " cannot be written") &&
                       Catch::Contains("read-only") && Catch::Contains("--state-dir"));
    }
    SECTION("a folder that is read-only") {
        (void)store_in(dir);
        ReadOnlyFiles files;
        files.only_folder();
        const auto refused = SqliteStore::open(dir.file(), files.name());
        CHECK(code_of(refused) == ErrorCode::kStorageUnavailable);
        CHECK_THAT(refused.error().detail,
                   Catch::StartsWith("the folder of " + dir.file().string()) &&
                       Catch::Contains("this user") && Catch::Contains("--state-dir"));
    }
    SECTION("a directory that does not exist") {
        CHECK(code_of(SqliteStore::open(dir.file("no/such.db"))) == ErrorCode::kStorageUnavailable);
    }
}

TEST_CASE("store: a second open is refused at once and does no harm", "[storage]") {
    const TempDir dir;
    const auto store = store_in(dir);
    Writer a{*store, "a"};
    const auto second = SqliteStore::open(dir.file());
    CHECK(code_of(second) == ErrorCode::kStorageUnavailable);
    CHECK(second.error().detail.find("in use by another process") != std::string::npos);
    a.fill(3);
    CHECK(store->read_session(a.key, a.chain, 0, 10).value().size() == 4);
}
