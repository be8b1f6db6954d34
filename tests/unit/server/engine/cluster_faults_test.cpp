// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>

#include <catch2/catch.hpp>

#include "server/engine/admin_commands.hpp"
#include "server/engine/cluster.hpp"
#include "server/testclock/jumps.hpp"
#include "tests/support/postgres_daemon.hpp"

// What goes wrong between a daemon and the database, and what others do meanwhile.

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

/// Somebody who is not one of us, in a transaction that the database does not end.
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

}  // namespace

TEST_CASE("cluster: a write waits for a session that somebody holds, and not for ever",
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
