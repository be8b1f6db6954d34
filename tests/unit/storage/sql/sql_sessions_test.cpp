// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/table_store.hpp"

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

SessionState of(std::string agent_type, std::string goal = {}) {
    SessionState state;
    state.about.agent.type = std::move(agent_type);
    state.about.goal.kept = std::move(goal);
    return state;
}

SessionState judged(Verdict verdict, std::int64_t since, std::string detector = {}) {
    SessionState state;
    state.judgement.change().verdict = verdict;
    state.judgement.change().since = at(since);
    state.judgement.change().detector = std::move(detector);
    return state;
}

SessionState low_on_budget(BudgetLevel level) {
    SessionState state;
    state.budget.limits.max_steps = 10;
    state.budget.level = level;
    return state;
}

SessionState done(SessionState state) {
    state.outcome = Outcome::kFailed;
    state.judgement.change().verdict = Verdict::kFailed;
    return state;
}

struct Index {
    TablePlace dir;
    std::unique_ptr<TableStore> store = dir.open();

    SessionKey put(const std::string& id, SessionState state, std::int64_t now = 0) {
        const auto known = store->find(id).value();
        const SessionKey key = known ? *known : created(*store, id);
        require_ok(store->index().index_session(key, Session{id, std::move(state)}, at(now)));
        return key;
    }
    std::vector<std::string> list(const SessionFilter& filter, SessionKey before = INT64_MAX,
                                  std::size_t limit = 100) {
        std::vector<std::string> ids;
        for (const SessionKey key : store->index().list(filter, before, limit).value())
            ids.push_back(store->load(key).value().session.id());
        CHECK((before != INT64_MAX || limit != 100 ||
               store->index().count(filter).value() == ids.size()));
        return ids;
    }
    std::vector<std::pair<SessionKey, std::int64_t>> needs(std::size_t limit = 100) {
        std::vector<std::pair<SessionKey, std::int64_t>> found;
        for (const SessionNeed& need : store->index().needs(limit).value())
            found.emplace_back(need.session, (need.since - at(0)).count());
        return found;
    }
};

using Ids = std::vector<std::string>;
using Needs = std::vector<std::pair<SessionKey, std::int64_t>>;

}  // namespace

TEST_CASE("sqlite sessions: ranges put together are the list", "[storage]") {
    Index shelf;
    for (int i = 0; i < 40; ++i)
        shelf.put("s" + std::to_string(i),
                  of(i % 3 == 0 ? "coder" : "tester", i % 2 == 0 ? "even" : "odd"));
    SessionFilter filter;
    filter.agent_type = "coder";
    filter.text = "even";
    const auto whole = shelf.store->index().list(filter, INT64_MAX, 100).value();
    CHECK(whole.size() == 7);
    const SessionKey end = shelf.store->index().sessions_end().value();
    for (const SessionKey width : {1, 7, 1000}) {
        std::vector<SessionKey> keys;
        for (SessionKey below = end; below > 0; below -= width) {
            const auto part = shelf.store->index().list_range(filter, below - width, below).value();
            keys.insert(keys.end(), part.begin(), part.end());
        }
        CHECK(keys == whole);
    }
    CHECK_FALSE(is_indexed(filter));
    filter = {};
    CHECK(is_indexed(filter));
}

TEST_CASE("session index: newest first, in pages", "[storage]") {
    Index shelf;
    for (const char* id : {"a", "b", "c"})
        shelf.put(id, {});
    CHECK(shelf.list({}) == Ids{"c", "b", "a"});
    CHECK(shelf.list({}, INT64_MAX, 2) == Ids{"c", "b"});
    CHECK(shelf.list({}, *shelf.store->find("b").value(), 2) == Ids{"a"});
}

TEST_CASE("session index: each filter, and all together", "[storage]") {
    Index shelf;
    SessionState one = judged(Verdict::kStuck, 1);
    one.about = of("coder", "Fix the Parser").about;
    one.about.agent.name = "Ada";
    one.about.agent.model = "m-1";
    one.about.labels = {{"team", "red"}, {"env", "prod"}};
    one.about.parent = "root";
    shelf.put("one", one);
    shelf.put("two", of("tester", "write docs"));
    shelf.put("three", done(of("coder")));
    SessionFilter filter;
    SECTION("verdict") {
        filter.verdicts = {Verdict::kStuck, Verdict::kFailed};
        CHECK(shelf.list(filter) == Ids{"three", "one"});
    }
    SECTION("open") {
        filter.open = true;
        CHECK(shelf.list(filter) == Ids{"two", "one"});
        filter.open = false;
        CHECK(shelf.list(filter) == Ids{"three"});
    }
    SECTION("agent") {
        filter.agent_type = "coder";
        CHECK(shelf.list(filter) == Ids{"three", "one"});
    }
    SECTION("parent") {
        filter.parent = "root";
        CHECK(shelf.list(filter) == Ids{"one"});
    }
    SECTION("ids, unknown ones left out") {
        filter.ids = Ids{"two", "missing", "one"};
        CHECK(shelf.list(filter) == Ids{"two", "one"});
        filter.ids = Ids{"missing"};
        CHECK(shelf.list(filter).empty());
    }
    SECTION("a label, the whole of it") {
        filter.label = Label{"team", "red"};
        CHECK(shelf.list(filter) == Ids{"one"});
        for (const Label& other : {Label{"team", "re"}, Label{"tea", "mred"}, Label{"env", "red"},
                                   Label{"eam", "red"}, Label{"team", "Red"}}) {
            filter.label = other;
            CHECK(shelf.list(filter).empty());
        }
    }
    SECTION("text, anywhere and in any case") {
        for (const char* text : {"ONE", "the pars", "ada", "M-1", "red", "PROD"}) {
            INFO(text);
            filter.text = text;
            CHECK(shelf.list(filter) == Ids{"one"});
        }
        filter.text = "coder";
        CHECK(shelf.list(filter) == Ids{"three", "one"});
        for (const char* text : {"team", "adam-1", "missing"}) {
            INFO(text);
            filter.text = text;
            CHECK(shelf.list(filter).empty());
        }
    }
    SECTION("together") {
        filter.open = true;
        filter.agent_type = "coder";
        filter.text = "parser";
        filter.parent = "root";
        filter.label = Label{"env", "prod"};
        filter.verdicts = {Verdict::kStuck};
        filter.ids = Ids{"one", "two", "three"};
        CHECK(shelf.list(filter) == Ids{"one"});
    }
}

TEST_CASE("session index: a search covers the first bytes of the text", "[storage]") {
    Index shelf;
    shelf.put("a", of("coder", std::string(limits::kSearchTextBytesMax, 'x') + "needle"));
    SessionFilter filter;
    filter.text = "xx";
    CHECK(shelf.list(filter) == Ids{"a"});
    filter.text = "needle";
    CHECK(shelf.list(filter).empty());
}

TEST_CASE("session index: a session is moved, not listed twice", "[storage]") {
    Index shelf;
    shelf.put("a", judged(Verdict::kProgressing, 1));
    shelf.put("a", judged(Verdict::kStuck, 2));
    CHECK(shelf.list({}) == Ids{"a"});
    VerdictCounts counts = shelf.store->index().count_open().value();
    CHECK(counts[static_cast<std::size_t>(Verdict::kStuck)] == 1);
    CHECK(counts[static_cast<std::size_t>(Verdict::kProgressing)] == 0);
    shelf.put("a", done({}));
    CHECK(shelf.store->index().count_open().value() == VerdictCounts{});
}

TEST_CASE("session index: sessions that need a person, the most urgent first", "[storage]") {
    Index shelf;
    const SessionKey stuck = shelf.put("stuck", judged(Verdict::kStuck, 30));
    const SessionKey silent = shelf.put("silent", judged(Verdict::kSilent, 10));
    const SessionKey blocked = shelf.put("blocked", judged(Verdict::kBlocked, 20, "blocked"));
    SessionState polls = judged(Verdict::kWaiting, 15);
    polls.judgement.change().needs_somebody = true;
    const SessionKey waiting = shelf.put("waiting", polls);
    const SessionKey spent = shelf.put("spent", low_on_budget(BudgetLevel::kCritical), 40);
    const SessionKey earlier = shelf.put("earlier", judged(Verdict::kStuck, 25));
    shelf.put("paused", judged(Verdict::kWaiting, 2));
    shelf.put("asked", judged(Verdict::kBlocked, 5, "approval"));
    shelf.put("works", judged(Verdict::kExploring, 1));
    CHECK(
        shelf.needs() ==
        Needs{{earlier, 25}, {stuck, 30}, {spent, 40}, {waiting, 15}, {blocked, 20}, {silent, 10}});
    CHECK(shelf.needs(3) == Needs{{earlier, 25}, {stuck, 30}, {spent, 40}});
    CHECK(shelf.needs(1) == Needs{{earlier, 25}});
    CHECK(shelf.store->index().count_needs().value() == 6);
    shelf.put("silent", judged(Verdict::kProgressing, 40));
    shelf.put("stuck", done(judged(Verdict::kStuck, 30)));
    CHECK(shelf.needs() == Needs{{earlier, 25}, {spent, 40}, {waiting, 15}, {blocked, 20}});
}

TEST_CASE("session index: alarms stay with a session that has ended, the most urgent first",
          "[storage]") {
    Index shelf;
    const auto alarmed = [](ApprovalAlarmKind kind, std::int64_t when) {
        SessionState state;
        state.approvals.alarms = {{kind, 1, "bash", at(when), 3, 1, {}}};
        return state;
    };
    shelf.put("late", alarmed(ApprovalAlarmKind::kNeverExecuted, 1));
    shelf.put("unasked", alarmed(ApprovalAlarmKind::kExecutedUnapproved, 2));
    shelf.put("second", alarmed(ApprovalAlarmKind::kExecutedThoughRejected, 9));
    const SessionKey first =
        shelf.put("first", done(alarmed(ApprovalAlarmKind::kExecutedThoughRejected, 8)));
    const auto found = shelf.store->index().alarms(10).value();
    REQUIRE(found.size() == 4);
    CHECK(found[0].session == first);
    CHECK(found[1].at == at(9));
    CHECK(found[2].kind == ApprovalAlarmKind::kExecutedUnapproved);
    CHECK(found[3].kind == ApprovalAlarmKind::kNeverExecuted);
    CHECK(shelf.store->index().alarms(2).value().size() == 2);
    CHECK(shelf.store->index().count_alarms().value() == AlarmCounts{1, 2, 1});
    CHECK(shelf.store->index().count_needs().value() == 4);
    shelf.put("first", done({}));
    CHECK(shelf.store->index().count_alarms().value() == AlarmCounts{1, 1, 1});
}

TEST_CASE("session index: over its budget since the level was critical", "[storage]") {
    Index shelf;
    const SessionKey key = shelf.put("a", low_on_budget(BudgetLevel::kLow), 1);
    CHECK(shelf.needs().empty());
    shelf.put("a", low_on_budget(BudgetLevel::kCritical), 2);
    shelf.put("a", low_on_budget(BudgetLevel::kExhausted), 3);
    CHECK(shelf.needs() == Needs{{key, 2}});
    CHECK(shelf.store->index().needs(1).value().front().over_budget);
    shelf.put("a", low_on_budget(BudgetLevel::kNominal), 4);
    CHECK(shelf.needs().empty());
    shelf.put("a", low_on_budget(BudgetLevel::kCritical), 5);
    CHECK(shelf.needs() == Needs{{key, 5}});
    shelf.put("a", done(low_on_budget(BudgetLevel::kCritical)), 6);
    CHECK(shelf.needs().empty());
}

#ifndef HEADWAY_TABLES_ON_POSTGRES
TEST_CASE("session index: a repaired database gets it from its journal, once", "[storage]") {
    Index shelf;
    for (const char* id : {"saved", "open"}) {
        Story story;
        story.report(ended(Outcome::kFailed), 1000);
        const SessionKey key = shelf.store->create(id, at(0)).value();
        Chain chain;
        const std::size_t events = std::string{id} == "open" ? 1 : story.events.size();
        require_ok(shelf.store->append(key, chain, {story.events.data(), events}));
        if (events == 1) continue;
        require_ok(shelf.store->save(key, story.session, chain, {}));
        require_ok(shelf.store->set_snapshot_cursor(chain.tail + 2));
    }
    shelf.store.reset();
    auto database = Database::open(shelf.dir.file().string());
    require_ok(database);
    require_ok(
        database->execute("DELETE FROM session_index;"
                          "UPDATE session SET crc=NULL;"  // of a story with another id
                          "INSERT OR REPLACE INTO meta(name,value) VALUES('session_index_due',1)"));
    database = Database::open(":memory:");  // releases the file

    for (int start = 0; start < 2; ++start) {
        shelf.store = shelf.dir.open();
        require_ok(shelf.store->recover());
        SessionFilter filter;
        CHECK(shelf.store->index().count(filter).value() == 2);
        filter.open = true;
        CHECK(shelf.list(filter) == Ids{"open"});
        filter.open = false;
        filter.verdicts = {Verdict::kFailed};
        CHECK(shelf.list(filter) == Ids{"saved"});
        shelf.store.reset();
    }
}
#endif

#ifndef HEADWAY_TABLES_ON_POSTGRES  // an end is an event there
TEST_CASE("session index: deleted sessions are not listed", "[storage]") {
    Index shelf;
    SessionState state = done({});
    state.ended_at = at(1);
    const SessionKey key = shelf.put("a", state);
    require_ok(shelf.store->save(key, Session{"a", state}, {}, {}));
    REQUIRE(shelf.store->delete_some(at(100)).value().doomed == key);
    CHECK(shelf.list({}).empty());
}
#endif
