// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <thread>

#include "server/engine/cluster/cluster.hpp"
#include "server/engine/commands/admin_commands.hpp"
#include "server/testclock/jumps.hpp"
#include "tests/support/postgres_daemon.hpp"

// Faults between a daemon and the database, and the actions of others meanwhile.

using namespace headway::server;
using namespace headway::tests;
namespace core = headway::core;
namespace storage = headway::storage;
using testclock::Jump;

namespace {

storage::PostgresConnection& connection_of(PostgresDaemon& daemon) {
    return static_cast<storage::PostgresConnection&>(*daemon.store().tables());
}

/// The next statement finds that the server is gone.
void cut(PostgresDaemon& daemon) {
    ::shutdown(connection_of(daemon).socket(), SHUT_RDWR);
}

core::Event phase(const std::string& name) {
    return beat_in_phase(name);
}

std::string shown(PostgresDaemon& daemon, const std::string& session) {
    const auto answer = daemon.ask(SessionQuery{session});
    return std::get<BodyReply>(answer).body;
}

/// A client that is none of the daemons, in a transaction that the database does not end.
class Stranger {
public:
    explicit Stranger(const PostgresHere& here) : connection_({here.url()}) {
        require_ok(connection_.connect());
        ask("SET idle_in_transaction_session_timeout=0");
        ask("SET lock_timeout=0");
        require_ok(connection_.begin());
    }
    void ask(const std::string& sql) {
        require_ok(connection_.send(sql));
        require_ok(connection_.finish());
    }
    void end() { connection_.rollback(); }

private:
    storage::PostgresConnection connection_;
};

/// A read that another daemon's retention comes before.
class LateRead final : public ReadTask {
public:
    explicit LateRead(const PostgresHere& here) : here_(here) {}
    void name(SessionNames& names) const override {
        here_.run("UPDATE session SET name=NULL");
        names.push_back("s");
    }
    core::Result<bool> read(Reader&) override { return true; }
    void arrive(Reader&) override {}
    std::int64_t position() const override { return 0; }
    bool shared() const override { return true; }
    std::size_t bytes() const override { return 0; }
    void answer(Answers&, const ReplyTo&) override {}

private:
    const PostgresHere& here_;
};

}  // namespace

TEST_CASE("cluster: a write waits for a session that another client holds, and not without limit",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    one.report("s", {beat_with_id("a")});
    Stranger stranger{here};
    stranger.ask("SELECT 1 FROM session FOR UPDATE");
    const Command report = ReportCommand{"s", {beat_with_id("b")}, true, {}};
    one.turn({&report});
    one.replies().clear();
    testclock::jump(Jump::pass(core::Millis{2'000}));
    one.turn();
    CHECK(one.replies().empty());
    testclock::jump(Jump::pass(core::Millis{3'000}));
    one.turn();
    REQUIRE(one.replies().size() == 1);
    REQUIRE_FALSE(one.replies().front().what);
    CHECK(one.replies().front().what.error().code == core::ErrorCode::kStorageUnavailable);
    stranger.end();
    CHECK(one.report("s", {beat_with_id("b")}).size() == 1);
}

TEST_CASE("cluster: a value that the database refuses fails its own write only", "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    one.report("s", {beat_with_id("a")});
    const Command bad = ReportCommand{"bad", {beat_with_id("\xff")}, true, {}};
    const Command good = ReportCommand{"s", {beat_with_id("b")}, true, {}};
    one.replies().clear();
    one.turn({&good, &bad});
    REQUIRE(one.replies().size() == 2);
    CHECK(one.replies().front().what);
    REQUIRE_FALSE(one.replies().back().what);
    CHECK(one.replies().back().what.error().code == core::ErrorCode::kInvalidField);
    CHECK(one.lines.empty());
    CHECK(one.report("s", {beat_with_id("b"), beat_with_id("c")}) ==
          std::vector<std::uint64_t>{3, 4});
}

TEST_CASE("cluster: a value of a tick that the database refuses is no error of the writes",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    one.report("quiet", {beat_with_id("a")});
    one.report("s", {beat_with_id("a")});
    here.run(
        "CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'refused' USING "
        "ERRCODE='22021'; END $$ LANGUAGE plpgsql");
    here.run("UPDATE session SET due_at=1 WHERE name='quiet'");
    here.run(
        "CREATE TRIGGER refuses BEFORE UPDATE ON session FOR EACH ROW WHEN (NEW.name='quiet') "
        "EXECUTE FUNCTION refuse()");
    testclock::jump(Jump::pass(core::Millis{1'100}));
    const Command first = ReportCommand{"s", {beat_with_id("b")}, true, {}};
    const Command second = ReportCommand{"t", {beat_with_id("c")}, true, {}};
    one.replies().clear();
    if (GENERATE(false, true)) {
        one.turn({&first, &second});
    } else {
        one.turn({&first});
    }
    REQUIRE_FALSE(one.replies().empty());
    for (const Reply& reply : one.replies()) {
        REQUIRE_FALSE(reply.what);
        CHECK(reply.what.error().code == core::ErrorCode::kStorageUnavailable);
    }
    CHECK_FALSE(one.lines.empty());
    here.run("DROP TRIGGER refuses ON session");
    testclock::jump(Jump::pass(core::Millis{1'000}));
    CHECK(one.report("s", {beat_with_id("b")}).size() == 1);
}

TEST_CASE("cluster: who waits for a session sees it though a turn had caught up with it already",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    PostgresDaemon two{here, "two"};
    two.report("s", {beat_with_id("a")});
    core::SessionStarted child;
    child.parent = "s";
    two.ask(OpenCommand{"child", child, false, {}, {}});
    testclock::jump(Jump::pass(core::Millis{600}));
    two.turn();
    one.report("s", {phase("news")});
    two.views.clear();
    two.report("child", {beat()});  // which reads the budget of its parent
    testclock::jump(Jump::pass(core::Millis{600}));
    two.turn();
    CHECK(std::any_of(two.views.begin(), two.views.end(),
                      [](const core::SessionView& view) { return view.phase == "news"; }));
}

TEST_CASE("cluster: a token that is revoked while a daemon is cut off is refused there afterwards",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    PostgresDaemon two{here, "two"};
    core::TokenRecord token;
    token.id = "t";
    token.name = "name";
    token.grants = core::Grants::parse(std::vector<std::string>{"read"}).value();
    one.ask(CreateTokenCommand{token, "secret"});
    testclock::jump(Jump::pass(core::Millis{1'100}));
    two.turn();
    REQUIRE(two.tokens);
    REQUIRE(two.tokens->size() == 1);
    CHECK(two.tokens->front().revoked_at == core::kNever);
    cut(two);
    one.ask(RevokeTokenCommand{"t"});
    for (int turns = 0; turns < 5; ++turns) {
        testclock::jump(Jump::pass(core::Millis{1'100}));
        two.turn();
    }
    REQUIRE(two.tokens->size() == 1);
    CHECK(two.tokens->front().revoked_at != core::kNever);
}

TEST_CASE(
    "cluster: a daemon whose first statements after a loss fail as well comes back all the same",
    "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    one.report("s", {beat_with_id("a")});
    Stranger stranger{here};
    stranger.ask("SELECT 1 FROM daemon FOR UPDATE");
    cut(one);
    const auto turn_later = [&one] {
        testclock::jump(Jump::pass(core::Millis{1'100}));
        one.turn();
    };
    turn_later();
    turn_later();  // waits for the row of the daemon, until the database gives up
    stranger.end();
    turn_later();
    turn_later();
    CHECK(one.report("s", {beat_with_id("b")}).size() == 1);
}

TEST_CASE("cluster: no judge is asked about a session that was deleted after the commit",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    EngineSettings settings;
    settings.judge.primary = "judge";
    settings.judge.estimates = core::EstimateMode::kStep;
    PostgresDaemon one{here, "one", std::move(settings)};
    one.report("s", {beat()});
    std::vector<Request> requests;
    requests.push_back(
        request_of({0, 1}, ReportCommand{"s", {tool_finished("c"), beat()}, true, {}}));
    requests.emplace_back().read = std::make_unique<LateRead>(here);
    one.run(std::move(requests));
    CHECK(one.asked.empty());
}

TEST_CASE("cluster: a turn that ends in a deadlock is run again", "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    one.report("s", {beat_with_id("a")});
    require_ok(connection_of(one).ask("SELECT set_config('deadlock_timeout','700ms',false)"));
    Stranger stranger{here};
    stranger.ask("SET deadlock_timeout='60s'");
    stranger.ask("UPDATE feed SET pos=pos");
    const Command report = ReportCommand{"s", {beat_with_id("b")}, true, {}};
    one.replies().clear();
    const auto pid = connection_of(one).ask("SELECT pg_backend_pid()");
    require_ok(pid);
    std::thread turn{[&] { one.turn({&report}); }};
    const std::string waits =
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type='Lock' AND pid=" +
        std::to_string(pid->integer(0, 0));
    while (here.number(waits) == 0) {
    }
    stranger.ask("SELECT 1 FROM session WHERE name='s' FOR UPDATE");
    stranger.end();
    turn.join();
    one.turn_until_answered();
    require_ok(one.replies().front().what);
    CHECK(one.stats.retries >= 1);
    CHECK(one.stats.commit_failures == 0);
    CHECK(one.lines.empty());
}

TEST_CASE("cluster: commands of a turn that is run again answer as if it had been run once",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    EngineSettings settings;
    core::WebhookRule rule;
    rule.name = "ops";
    rule.target = "its address";
    rule.events.set(static_cast<std::size_t>(core::EventType::kSessionStarted));
    settings.webhooks = {{rule}, {core::Millis{0}}};
    PostgresDaemon one{here, "one", std::move(settings)};
    // A serialization failure, a deadlock, a lock that did not come in time.
    const std::string code = GENERATE("40001", "40P01", "55P03");
    one.stream({});
    one.report("s", {beat_with_id("a")});
    one.ask(EndCommand{"s", {}});
    here.run("CREATE SEQUENCE tries");
    here.run(
        "CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN IF nextval('tries') <= 3 THEN RAISE "
        "EXCEPTION 'refused' USING ERRCODE='" +
        code + "'; END IF; RETURN NEW; END $$ LANGUAGE plpgsql");
    here.run(
        "CREATE TRIGGER refuses BEFORE INSERT ON stream FOR EACH STATEMENT EXECUTE FUNCTION "
        "refuse()");
    const Command fresh =
        ReportCommand{"new", {beat_with_id("b"), beat_with_id("c"), beat_with_id("b")}, true, {}};
    const Command late = ReportCommand{"s", {beat_with_id("d")}, true, {}};
    SECTION("a few times") {
        one.replies().clear();
        one.events.clear();
        one.turn({&fresh, &late});
        REQUIRE(one.replies().size() == 2);
        require_ok(one.replies()[0].what);
        // A copy: the next report clears the replies.
        const auto results = std::get<AdviceReply>(*one.replies()[0].what).advice.results;
        REQUIRE(results.size() == 3);
        CHECK_FALSE(results[1].second);
        CHECK(results[2] == std::pair{results[0].first, true});
        REQUIRE_FALSE(one.replies()[1].what);
        CHECK(one.replies()[1].what.error().code == core::ErrorCode::kSessionEnded);
        CHECK(one.stats.retries == 3);
        REQUIRE(one.stats.webhooks);
        CHECK(one.stats.webhooks->front().pending == 2);  // of each session, counted once
        one.turn();
        CHECK(one.events.size() == results[1].first);
        CHECK(here.number("SELECT count(*) FROM session") == 2);
        CHECK(one.report("new", {beat_with_id("c")})[0] == results[1].first);
    }
    SECTION("too often") {
        here.run("ALTER SEQUENCE tries INCREMENT BY -1 MINVALUE -1000");
        one.replies().clear();
        one.turn({&fresh});
        REQUIRE(one.replies().size() == 1);
        REQUIRE_FALSE(one.replies()[0].what);
        CHECK(one.replies()[0].what.error().code == core::ErrorCode::kStorageUnavailable);
        CHECK(one.stats.retries == 3);
        CHECK(here.number("SELECT last_value FROM tries") == 1 - 3);  // from 1 on, four tries
        CHECK(here.number("SELECT count(*) FROM session") == 1);
        here.run("DROP TRIGGER refuses ON stream");
        testclock::jump(Jump::pass(core::Millis{1'000}));
        CHECK(one.report("new", {beat_with_id("c")}).size() == 1);
    }
}

TEST_CASE("cluster: a turn that the database refuses for another reason is not run again",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    one.report("s", {beat_with_id("a")});
    here.run("CREATE SEQUENCE tries");
    here.run(
        "CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN PERFORM nextval('tries'); RAISE "
        "EXCEPTION 'refused' USING ERRCODE='23514'; END $$ LANGUAGE plpgsql");
    here.run(
        "CREATE TRIGGER refuses BEFORE INSERT ON stream FOR EACH STATEMENT EXECUTE FUNCTION "
        "refuse()");
    const auto refused = one.try_ask(ReportCommand{"s", {beat_with_id("b")}, true, {}});
    REQUIRE_FALSE(refused);
    CHECK(one.stats.retries == 0);
    CHECK(here.number("SELECT last_value FROM tries") == 1);
    CHECK(one.stats.commit_failures == 1);
}

TEST_CASE("cluster: a daemon that cannot say in time that it serves says it in the next turn",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    one.report("s", {beat_with_id("a")});
    require_ok(connection_of(one).ask("SELECT set_config('lock_timeout','50ms',false)"));
    Stranger stranger{here};
    stranger.ask("SELECT 1 FROM daemon FOR UPDATE");
    testclock::jump(Jump::pass(core::Millis{1'100}));
    one.turn();
    CHECK(one.stats.commit_failures == 0);
    CHECK(one.lines.empty());
    stranger.end();
    CHECK(one.report("s", {beat_with_id("b")}).size() == 1);
    CHECK(one.stats.commit_failures == 0);
}

TEST_CASE("cluster: what a database lost when it took over is in no memory and no snapshot",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    PostgresDaemon two{here, "two"};
    two.report("s", {phase("kept")});
    const auto lost = two.report("s", {phase("lost")});
    // Its next turn follows the others, and claims nothing.
    testclock::jump(Jump::pass(core::Millis{1'100}));
    two.turn();
    testclock::jump(Jump::pass(core::Millis{300}));
    two.turn();
    testclock::jump(Jump::pass(core::Millis{202}));
    // The last commit was not copied. Another daemon goes on, past its number.
    cut(two);
    const std::string before = std::to_string(lost.front() - 1);
    here.run("DELETE FROM stream WHERE n>" + before);
    here.run("DELETE FROM journal WHERE n>" + before);
    here.run("UPDATE session SET n=" + before);
    here.run("UPDATE feed SET pos=" + before);
    one.report("s", {phase("other")});
    one.report("s", {beat(), beat()});
    // A read finds the connection broken, and what follows in the same turn makes another.
    const Command query = SessionQuery{"s"};
    two.turn({&query});
    testclock::jump(Jump::pass(core::Millis{10'000}));
    two.upkeep();
    testclock::jump(Jump::pass(core::Millis{1'000}));
    two.turn();
    PostgresDaemon three{here, "three"};
    const auto next = two.report("s", {beat()});
    CHECK(next.front() == lost.front() + 3);
    const std::string all = shown(three, "s");
    CHECK(all.find("lost") == std::string::npos);
    CHECK(all.find("other") != std::string::npos);
    CHECK(shown(two, "s").find("lost") == std::string::npos);
}

TEST_CASE("cluster: streams end when the database that took over lacks what they were sent",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon two{here, "two"};
    two.report("s", {phase("kept")});
    const auto lost = two.report("s", {phase("lost")});
    testclock::jump(Jump::pass(core::Millis{1'100}));
    two.turn();
    cut(two);
    const std::string before = std::to_string(lost.front() - 1);
    here.run("DELETE FROM stream WHERE n>" + before);
    here.run("DELETE FROM journal WHERE n>" + before);
    here.run("UPDATE session SET n=" + before);
    here.run("UPDATE feed SET pos=" + before);
    const Command query = SessionQuery{"s"};
    two.turn({&query});
    testclock::jump(Jump::pass(core::Millis{10'000}));
    two.upkeep();
    testclock::jump(Jump::pass(core::Millis{1'000}));
    two.turn();
    CHECK(two.streams_end.find("lost events") != std::string::npos);
}
