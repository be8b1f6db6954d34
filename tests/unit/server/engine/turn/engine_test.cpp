// SPDX-License-Identifier: Apache-2.0
#include "server/engine/turn/engine.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "server/testclock/jumps.hpp"
#include "tests/support/supervised.hpp"

using namespace headway::server;
using namespace headway::core;
using headway::api::Advice;
using namespace headway::tests;
using Document = nlohmann::json;
using namespace std::chrono_literals;
using testclock::Jump;
using testclock::jump;

namespace {

OpenCommand open(const std::string& id, const std::string& goal = {}) {
    OpenCommand command;
    command.session = id;
    command.about.goal = bounded_text(goal);
    command.bare = goal.empty();
    return command;
}

EndCommand end(const std::string& id, Outcome outcome) {
    EndCommand command;
    command.session = id;
    command.end.outcome = outcome;
    return command;
}

const BodyReply& body(const Result<Answer>& what) {
    require_ok(what);
    return std::get<BodyReply>(*what);
}

Advice advice(const Result<Answer>& what) {
    require_ok(what);
    return std::get<AdviceReply>(*what).advice;
}

std::vector<EventType> types(const std::vector<Event>& events) {
    std::vector<EventType> out;
    for (const Event& one : events)
        out.push_back(type_of(one.payload));
    return out;
}

}  // namespace

TEST_CASE("engine: a report to an unknown id opens a session", "[server]") {
    Supervised s;
    const Advice got = s.report("a", {tool_finished("c")});
    CHECK(got.n == 2);
    CHECK(got.accepted == 1);
    CHECK(types(s.journal("a")) == std::vector{EventType::kSessionStarted, EventType::kToolFinished,
                                               EventType::kVerdictChanged});
    CHECK(std::get<SessionStarted>(s.journal("a")[0].payload).implicit);
    REQUIRE(s.last.views.size() == 1);
    CHECK(s.last.views[0].n == 3);
    CHECK(s.last.views[0].judgement->verdict == Verdict::kProgressing);
}

TEST_CASE("engine: while reports are not read no agent turns silent, and afterwards one that is",
          "[server]") {
    std::chrono::seconds unread{0};
    EngineSettings settings;
    settings.policy.heartbeat_interval = std::chrono::seconds{4};
    settings.reader_seen = [&unread] { return Clock::steady() - unread; };
    jump(Jump::stall(10min));  // what other cases let pass lies behind the gaps of this one
    Supervised s{settings, Timestamp{std::chrono::hours{500'000}}};
    (void)s.report("a", {beat()});
    const auto silent = [&s] {
        (void)s.turn({});
        const auto journal = s.journal("a");
        return std::any_of(journal.begin(), journal.end(), [](const Event& one) {
            const auto* change = std::get_if<VerdictChanged>(&one.payload);
            return change != nullptr && change->to == Verdict::kSilent;
        });
    };
    for (int second = 1; second <= 120; ++second) {
        unread = std::chrono::seconds{second};
        s.clock().advance_to(s.clock().now() + std::chrono::seconds{1});
        REQUIRE_FALSE(silent());
    }
    unread = std::chrono::seconds{0};
    int waited = 0;
    while (!silent()) {
        REQUIRE(++waited < 60);
        s.clock().advance_to(s.clock().now() + std::chrono::seconds{1});
    }
    CHECK(waited >= 8);  // two intervals from the end of the gap
}

TEST_CASE("engine: events are published only while a client listens", "[server]") {
    Supervised s;
    (void)s.turn({ReportCommand{"a", {beat()}, false, {}}});
    CHECK(s.last.events.empty());
    (void)s.turn({ReportCommand{"a", {beat()}, false, {}}}, true);
    REQUIRE(s.last.events.size() == 1);
    CHECK(s.last.events[0].session == "a");
    CHECK(s.last.events[0].cursor == s.sqlite().head());
    CHECK(s.last.events[0].event.n == 3);
}

TEST_CASE("engine: the commands of one turn see each other and commit together", "[server]") {
    Supervised s;
    const auto replies =
        s.turn({ReportCommand{"a", {beat()}, false, {}}, ReportCommand{"a", {beat()}, false, {}},
                SessionQuery{"a"}, end("a", Outcome::kCompleted),
                ReportCommand{"a", {beat()}, false, {}}});
    REQUIRE(replies.size() == 5);
    CHECK(advice(replies[0].what).n == 2);
    CHECK(advice(replies[1].what).n == 3);
    CHECK(advice(replies[2].what).n == 4);
    CHECK(code_of(replies[3].what) == ErrorCode::kSessionEnded);
    // Queries come last and see all of the turn.
    CHECK(replies[4].to.slot == 3);
    CHECK(Document::parse(body(replies[4].what).body)["outcome"] == "completed");
    CHECK(s.last.stats.commits == 1);
    CHECK(s.last.views.size() == 1);
}

TEST_CASE("engine: an event id is stored once and answered like the first time", "[server]") {
    Supervised s;
    const Advice first = s.report("a", {with_id(tool_finished("c"), "e1")});
    const Advice again = s.report("a", {with_id(tool_finished("c"), "e1")});
    CHECK(again.n == first.n);
    CHECK(again.accepted == 0);
    CHECK(again.duplicates == 1);
    CHECK(s.journal("a").size() == 3);
    CHECK(s.last.stats.duplicates == 1);
}

TEST_CASE("engine: an event id of another session is another event", "[server]") {
    Supervised s;
    (void)s.report("a", {with_id(beat(), "e1")});
    CHECK(s.report("b", {with_id(beat(), "e1")}).accepted == 1);
}

TEST_CASE("engine: an event id is known after a restart, saved or not", "[server]") {
    Supervised s;
    (void)s.report("a", {with_id(beat(), "e1")});
    s.restart();
    const Advice again = s.report("a", {with_id(beat(), "e1")});
    CHECK(again.duplicates == 1);
    CHECK(again.n == 2);
    CHECK(s.journal("a").size() == 2);
}

TEST_CASE("engine: an event id is known after a failed commit", "[server]") {
    Supervised s;
    (void)s.report("a", {with_id(beat(), "e1")});
    s.store().fail(FailingStore::Step::kCommit);
    CHECK(code_of(s.ask(ReportCommand{"a", {beat()}, false, {}})) == ErrorCode::kStorageFull);
    s.store().fail(FailingStore::Step::kNone);
    CHECK(s.report("a", {with_id(beat(), "e1")}).duplicates == 1);
}

TEST_CASE("engine: a batch is answered with the number of each event, in order", "[server]") {
    Supervised s;
    (void)s.report("a", {with_id(beat(), "old")});
    const Advice got = s.report("a", {tool_finished("c"), with_id(beat(), "old"), beat()});
    CHECK(got.accepted == 2);
    CHECK(got.duplicates == 1);
    using Results = std::vector<std::pair<std::uint64_t, bool>>;
    CHECK(got.results == Results{{3, false}, {2, true}, {5, false}});
    CHECK(got.n == 5);
}

TEST_CASE("engine: an event id twice in one report is stored once", "[server]") {
    Supervised s;
    const Advice got =
        s.report("a", {with_id(beat(), "e1"), with_id(beat(), "e1"), with_id(beat(), "e2")});
    CHECK(got.accepted == 2);
    CHECK(got.duplicates == 1);
    CHECK(s.journal("a").size() == 3);
}

// api/API.md "Reporting": `results` lists the events in order; a client matches them by position.
TEST_CASE("engine: results has a place for every event, also for one sent twice in it",
          "[server]") {
    Supervised s;
    const Advice got =
        s.report("a", {with_id(beat(), "e1"), with_id(beat(), "e1"), with_id(beat(), "e2")});
    using Results = std::vector<std::pair<std::uint64_t, bool>>;
    CHECK(got.results == Results{{2, false}, {2, true}, {3, false}});
}

TEST_CASE("engine: a refused report leaves nothing, not even a session", "[server]") {
    Supervised s;
    const auto refused = s.ask(ReportCommand{"a", {ended(Outcome::kFailed), beat()}, true, {}});
    CHECK(code_of(refused) == ErrorCode::kSessionEnded);
    CHECK(s.sqlite().find("a").value() == std::nullopt);
    CHECK(code_of(s.ask(SessionQuery{"a"})) == ErrorCode::kUnknownSession);
}

TEST_CASE("engine: a stale attempt is refused, a duplicate of it is not", "[server]") {
    Supervised s;
    (void)s.report("a", {with_id(with_attempt(beat(), 1), "e1")});
    (void)s.report("a", {with_attempt(beat(), 2)});
    CHECK(code_of(s.ask(ReportCommand{"a", {with_attempt(beat(), 1)}, false, {}})) ==
          ErrorCode::kStaleAttempt);
    CHECK(s.report("a", {with_id(with_attempt(beat(), 1), "e1")}).duplicates == 1);
}

TEST_CASE("engine: opening is answered 201, again 200, otherwise 409", "[server]") {
    Supervised s;
    const auto first = s.ask(open("a", "goal"));
    CHECK(body(first).status == 201);
    CHECK(body(first).headers == "Location: /v1/sessions/a\r\n");
    CHECK(body(s.ask(open("a", "goal"))).status == 200);
    CHECK(body(s.ask(open("a"))).status == 200);
    CHECK(code_of(s.ask(open("a", "other"))) == ErrorCode::kSessionExists);
    CHECK(s.journal("a").size() == 1);
}

TEST_CASE("engine: the policy of an opening counts against the effective one", "[server]") {
    Supervised s;
    OpenCommand command = open("a", "goal");
    (void)s.ask(command);
    command.about.policy.heartbeat_limit = 5;  // what the default gave
    CHECK(body(s.ask(command)).status == 200);
    command.about.policy.heartbeat_limit = 6;
    CHECK(code_of(s.ask(command)) == ErrorCode::kSessionExists);
}

TEST_CASE("engine: an idempotency key gives the same session again", "[server]") {
    Supervised s;
    OpenCommand command = open("made-1", "goal");
    command.idempotency_key = "k";
    command.idempotency_fingerprint = "f";
    CHECK(body(s.ask(command)).status == 201);
    command.session = "made-2";  // what the server would have made this time
    const auto again = s.ask(command);
    CHECK(body(again).status == 200);
    CHECK(body(again).headers == "Idempotent-Replayed: true\r\n");
    CHECK(Document::parse(body(again).body)["id"] == "made-1");
    command.idempotency_fingerprint = "g";
    CHECK(code_of(s.ask(command)) == ErrorCode::kIdempotencyMismatch);
    s.restart();
    command.idempotency_fingerprint = "f";
    CHECK(Document::parse(body(s.ask(command)).body)["id"] == "made-1");
}

TEST_CASE("engine: ending is idempotent for the same outcome only", "[server]") {
    Supervised s;
    (void)s.ask(open("a"));
    const Advice first = advice(s.ask(end("a", Outcome::kCompleted)));
    CHECK(first.n == 2);
    const auto size = s.journal("a").size();
    CHECK(s.ask(end("a", Outcome::kCompleted)).has_value());
    CHECK(code_of(s.ask(end("a", Outcome::kFailed))) == ErrorCode::kSessionEnded);
    CHECK(s.journal("a").size() == size);
    CHECK(code_of(s.ask(end("nobody", Outcome::kFailed))) == ErrorCode::kUnknownSession);
}

TEST_CASE("engine: a stop directive is delivered with each reply until acknowledged", "[server]") {
    Supervised s;
    (void)s.ask(open("a"));
    const Advice asked = advice(s.ask(CancelCommand{"a", {"enough"}}));
    REQUIRE(asked.directives.size() == 1);
    const std::string id = asked.directives[0].first.id;
    const Advice beaten = s.report("a", {beat()});
    REQUIRE(beaten.directives.size() == 1);
    CHECK(beaten.directives[0].first.kind == DirectiveKind::kStop);
    CHECK(beaten.directives[0].second == asked.directives[0].second + 1);
    CHECK(s.report("a", {acknowledged(id)}).directives.empty());
    CHECK(s.report("a", {beat()}).directives.empty());
    const auto size = s.journal("a").size();
    const Advice again = advice(s.ask(CancelCommand{"a", {"again"}}));  // it goes on all the same
    CHECK(again.directives.size() == 1);
    CHECK(s.journal("a").size() == size + 1);
    CHECK(s.ask(CancelCommand{"a", {"and again"}}).has_value());
    CHECK(s.journal("a").size() == size + 1);
    CHECK(code_of(s.ask(CancelCommand{"b", {}})) == ErrorCode::kUnknownSession);
}

TEST_CASE("engine: a failed step publishes and stores nothing, and a later one succeeds",
          "[server]") {
    const auto step = GENERATE(FailingStore::Step::kBegin, FailingStore::Step::kAppend,
                               FailingStore::Step::kCommit);
    Supervised s;
    (void)s.report("a", {beat()});
    const auto head = s.sqlite().head();
    s.store().fail(step);
    const auto replies = s.turn({ReportCommand{"a", {beat(), beat()}, true, {}}, open("b")}, true);
    REQUIRE(replies.size() == 2);
    for (const Reply& reply : replies)
        CHECK(code_of(reply.what) == ErrorCode::kStorageFull);
    CHECK(s.last.views.empty());
    CHECK(s.last.events.empty());
    CHECK_FALSE(s.last.stats.writable);
    CHECK(s.store().rollbacks() == 1);
    CHECK(s.sqlite().head() == head);
    CHECK(s.sqlite().find("b").value() == std::nullopt);
    s.store().fail(FailingStore::Step::kNone);
    CHECK(s.report("a", {beat()}).n == 3);
    CHECK(s.last.stats.writable);
    CHECK(s.journal("a").size() == 3);
    CHECK(body(s.ask(open("b"))).status == 201);
}

TEST_CASE("engine: corruption is 503 to the client and a line in the log", "[server]") {
    Supervised s;
    s.store().fail(FailingStore::Step::kAppend, ErrorCode::kStorageCorrupt);
    const auto refused = s.ask(ReportCommand{"a", {beat()}, false, {}});
    CHECK(code_of(refused) == ErrorCode::kStorageUnavailable);
    CHECK(refused.error().detail.find("nothing was stored") == 0);
    REQUIRE(s.log.size() == 1);
    CHECK(s.log[0].find("commit failed") == 0);
}

TEST_CASE("engine: after a failed commit memory is what the journal holds", "[server]") {
    Supervised s;
    (void)s.report("a", {tool_finished("c"), beat()});
    s.store().fail(FailingStore::Step::kCommit);
    (void)s.ask(ReportCommand{"a", {ended(Outcome::kFailed)}, false, {}});
    s.store().fail(FailingStore::Step::kNone);
    const Document document = Document::parse(body(s.ask(SessionQuery{"a"})).body);
    CHECK(document["outcome"].is_null());
    CHECK(document["n"] == 4);
    CHECK(document["verdict"]["status"] == "progressing");
    CHECK(s.report("a", {beat()}).n == 5);
}

TEST_CASE("engine: while memory cannot be read back, everything is refused", "[server]") {
    Supervised s;
    (void)s.report("a", {beat()});
    s.store().fail(FailingStore::Step::kCommit);
    (void)s.ask(ReportCommand{"a", {beat()}, false, {}});
    s.store().fail(FailingStore::Step::kRecover, ErrorCode::kStorageUnavailable);
    CHECK(code_of(s.ask(ReportCommand{"a", {beat()}, false, {}})) ==
          ErrorCode::kStorageUnavailable);
    CHECK(code_of(s.ask(SessionQuery{"a"})) == ErrorCode::kStorageUnavailable);
    const auto view = s.ask(ViewQuery{"a"});  // asked for by no request: its error is an answer
    require_ok(view);
    REQUIRE(std::get<ViewReply>(*view).error);
    CHECK(std::get<ViewReply>(*view).error->code == ErrorCode::kStorageUnavailable);
    s.store().fail(FailingStore::Step::kNone);
    CHECK(s.report("a", {beat()}).n == 3);
}

// A failed commit publishes nothing, also not in /metrics.
TEST_CASE("engine: only stored events are counted", "[server]") {
    Supervised s;
    (void)s.report("a", {beat()});
    const std::uint64_t events = s.last.stats.events;
    s.store().fail(FailingStore::Step::kCommit);
    (void)s.ask(ReportCommand{"a", {tool_finished("c")}, false, {}});
    CHECK(s.last.stats.commit_failures == 1);
    CHECK(s.last.stats.commits == 1);
    CHECK(s.last.stats.events == events);
}

TEST_CASE("engine: a session without heartbeats turns silent, once", "[server]") {
    EngineSettings settings;
    settings.policy.heartbeat_interval = 10min;
    Supervised s{settings};
    const Timestamp begun = s.clock().now();
    (void)s.report("a", {tool_finished("c")});
    jump(Jump::pass(19min));
    (void)s.turn({});
    CHECK(s.last.views.empty());
    jump(Jump::pass(1min));
    (void)s.turn({});
    REQUIRE(s.last.views.size() == 1);
    CHECK(s.last.views[0].judgement->verdict == Verdict::kSilent);
    CHECK(s.clock().now() >= begun + 20min);
    const auto size = s.journal("a").size();
    for (int i = 0; i < 100; ++i)
        (void)s.turn({});
    CHECK(s.journal("a").size() == size);
    (void)s.report("a", {beat()});
    CHECK(s.last.views[0].judgement->verdict == Verdict::kProgressing);
}

TEST_CASE("engine: a pause of our own is credited to every session", "[server]") {
    EngineSettings settings;
    settings.policy.heartbeat_interval = 10min;
    Supervised s{settings};
    (void)s.report("a", {tool_finished("c")});
    const Timestamp stalled = s.clock().now();
    s.store().stall_commit([] { jump(Jump::stall(25min)); });  // longer than silence takes
    (void)s.report("b", {tool_finished("c")});
    const auto silent_since = [&]() -> std::optional<Timestamp> {
        for (const Event& one : s.journal("a")) {
            const auto* change = std::get_if<VerdictChanged>(&one.payload);
            if (change != nullptr && change->to == Verdict::kSilent) return one.at;
        }
        return std::nullopt;
    };
    std::optional<Timestamp> silent;
    while (!silent) {
        jump(Jump::pass(1min));
        (void)s.turn({ViewQuery{"a"}});
        silent = silent_since();
        REQUIRE(s.clock().now() < stalled + 60min);
    }
    CHECK(*silent >= stalled + 25min + 2 * 10min);
    CHECK(*silent < stalled + 25min + 2 * 10min + 2min);
}

TEST_CASE("engine: a turn without changes publishes nothing", "[server]") {
    Supervised s;
    (void)s.turn({});
    CHECK_FALSE(s.published);
}

TEST_CASE("engine: a reload changes the defaults of later sessions only", "[server]") {
    Supervised s;
    (void)s.ask(open("before"));
    ReloadCommand reload;
    reload.settings.policy.profile = Profile::kStrict;
    CHECK(s.turn({reload}).empty());
    const auto profile = [&](const char* id) {
        return Document::parse(body(s.ask(SessionQuery{id})).body)["policy"]["profile"];
    };
    (void)s.ask(open("after"));
    CHECK(profile("before") == "balanced");
    CHECK(profile("after") == "strict");
}

TEST_CASE("engine: a reload holds for the sessions that are opened behind it in its turn",
          "[server]") {
    Supervised s;
    ReloadCommand reload;
    reload.settings.policy.profile = Profile::kStrict;
    require_ok(s.turn({reload, open("after")}).at(0).what);
    CHECK(Document::parse(body(s.ask(SessionQuery{"after"})).body)["policy"]["profile"] ==
          "strict");
}

TEST_CASE("engine: a restart shows the same documents", "[server]") {
    Supervised s;
    (void)s.ask(open("a", "goal"));
    (void)s.report("a", {tool_started("c"), beat_in_flight("c", 4)});
    (void)s.ask(CancelCommand{"a", {"enough"}});
    const std::string before = body(s.ask(SessionQuery{"a"})).body;
    s.restart();
    CHECK(body(s.ask(SessionQuery{"a"})).body == before);
}

TEST_CASE("engine: run takes what is queued, then saves everything", "[server]") {
    Supervised s;
    for (int i = 0; i < 3; ++i) {
        Request request = request_of(
            {}, ReportCommand{"a", {with_id(beat(), "e" + std::to_string(i))}, false, {}});
        REQUIRE(s.queue().stage(request));
    }
    s.queue().close();
    s.engine().run();
    const auto key = s.sqlite().find("a").value();
    CHECK(s.sqlite().find_event_id(*key, "e2").value() == 4U);
    CHECK(s.sqlite().load(*key).value().session.state().n == 4);
    CHECK(s.sqlite().recover().value().events == 0);
}

TEST_CASE("engine: a failed save at the end is logged", "[server]") {
    Supervised supervised;
    supervised.report("s", {beat()});
    supervised.log.clear();
    SECTION("it cannot begin") {
        supervised.store().fail(FailingStore::Step::kBegin);
    }
    SECTION("it cannot save") {
        supervised.store().fail(FailingStore::Step::kSave);
    }
    SECTION("it cannot commit") {
        supervised.store().fail(FailingStore::Step::kCommit);
    }
    supervised.queue().close();
    supervised.engine().run();
    REQUIRE_FALSE(supervised.log.empty());
    CHECK_THAT(supervised.log.front(), Catch::Contains("could not be saved at the end"));
}

TEST_CASE("engine: sessions are evicted by their memory, and load again completely", "[server]") {
    EngineSettings settings;
    settings.resident_bytes = 256U << 10;
    Supervised s{settings};
    constexpr int kSessions = 200;
    for (int i = 0; i < kSessions; ++i) {
        require_ok(s.ask(open("s" + std::to_string(i), std::string(4'000, 'g'))));
        s.engine().upkeep(false);
    }
    s.report("s" + std::to_string(kSessions - 1), {beat()});
    CHECK(s.last.stats.resident < 60);
    CHECK(s.last.stats.resident > 5);
    const auto reply = s.ask(open("s0", std::string(4'000, 'g')));  // the same: nothing changes
    CHECK(body(reply).status == 200);
    CHECK(s.journal("s0").size() == 1);
}

TEST_CASE("engine: when sessions are too many, those alone are saved that leave", "[server]") {
    EngineSettings settings;
    settings.resident_max = 3;
    Supervised s{settings};
    for (const char* id : {"a", "b", "c", "d", "e"})
        require_ok(s.ask(open(id, "goal")));
    s.report("a", {beat()});  // the one that waits longest for its snapshot, but not to leave
    s.engine().upkeep(false);
    require_ok(s.ask(open("e", "goal")));  // the same: nothing changes
    CHECK(s.last.stats.snapshots == 2);
    CHECK(s.last.stats.evictions == 2);
    CHECK(s.last.stats.resident == 3);
    s.store().fail(FailingStore::Step::kLoad);
    for (const char* id : {"a", "d", "e"})
        require_ok(s.ask(SessionQuery{id}));
    CHECK_FALSE(s.ask(SessionQuery{"b"}));
    s.store().fail(FailingStore::Step::kNone);
    CHECK(s.report("b", {beat()}).n == 2);
}

TEST_CASE("engine: as many sessions leave again as are too many, so that not each turn saves",
          "[server]") {
    EngineSettings settings;
    settings.resident_max = 128;
    Supervised s{settings};
    for (int i = 0; i < 129; ++i)
        require_ok(s.ask(open("s" + std::to_string(i), "goal")));
    s.engine().upkeep(false);
    require_ok(s.ask(open("more", "goal")));
    CHECK(s.last.stats.snapshots == 2);  // one too many, and room for one
    CHECK(s.last.stats.resident == 128);
}

TEST_CASE("engine: a session whose time has come takes no place from one that reports",
          "[server]") {
    EngineSettings settings;
    settings.resident_max = 2;
    Supervised s{settings, headway::core::Timestamp{1h}};
    for (const char* id : {"quiet", "a", "b"})
        s.report(id, {beat()});
    s.engine().upkeep(false);  // "quiet" leaves
    s.clock().advance_to(s.clock().now() + 10s);
    s.report("a", {beat()});
    s.report("b", {beat()});
    for (int i = 0; i < 30; ++i) {  // until it is called silent, and no longer
        s.clock().advance_to(s.clock().now() + 10s);
        s.report("a", {beat()});
        s.report("b", {beat()});
        s.engine().upkeep(false);
    }
    CHECK(s.last.stats.evictions == 2);  // of "quiet", twice
    CHECK(s.last.stats.resident == 2);
    const auto quiet_journal = s.journal("quiet");
    CHECK(std::any_of(quiet_journal.begin(), quiet_journal.end(), [](const Event& event) {
        const auto* change = std::get_if<headway::core::VerdictChanged>(&event.payload);
        return change != nullptr && change->to == headway::core::Verdict::kSilent;
    }));
}

TEST_CASE("engine: the replies of a large turn come in parts, each reply once", "[server]") {
    Supervised s;
    std::vector<headway::tests::Command> commands;
    for (int i = 0; i < 600; ++i)
        commands.emplace_back(open("s" + std::to_string(i)));
    const auto replies = s.turn(std::move(commands));
    CHECK(s.publications == 3);
    CHECK_FALSE(s.last.more);
    std::vector<std::uint64_t> slots;
    for (const Reply& reply : replies) {
        require_ok(reply.what);
        slots.push_back(reply.to.slot);
    }
    REQUIRE(slots.size() == 600);
    std::sort(slots.begin(), slots.end());
    CHECK(std::adjacent_find(slots.begin(), slots.end()) == slots.end());
}

TEST_CASE("engine: a snapshot that could not begin loses nothing in memory", "[server]") {
    EngineSettings small;
    small.resident_max = 1;
    Supervised crowded{small};
    (void)crowded.ask(open("a", "goal"));
    (void)crowded.ask(open("b", "goal"));
    const auto loaded = crowded.log.size();
    crowded.store().fail(FailingStore::Step::kBegin);
    crowded.engine().upkeep(false);
    crowded.store().fail(FailingStore::Step::kNone);
    CHECK(crowded.log.size() == loaded + 1);  // the failure, and no reading of the journal after it
    (void)crowded.ask(SessionQuery{"a"});
    CHECK(crowded.log.size() == loaded + 1);
}
