// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/base/limits.hpp"
#include "server/engine/commands/approval_commands.hpp"
#include "server/engine/commands/check_commands.hpp"
#include "server/testclock/jumps.hpp"
#include "tests/support/postgres_daemon.hpp"

// Rows that cannot be read cost what is theirs, and nothing else.

using namespace headway::server;
using namespace headway::tests;
namespace core = headway::core;
using testclock::Jump;
using Document = nlohmann::json;

namespace {

AskCommand deploy(const std::string& session, int number) {
    core::ApprovalRequested asked;
    asked.tool = "deploy";
    asked.args.text = "{}";
    asked.args_digest = "sha256:" + std::to_string(number);
    asked.call_id = "call-" + std::to_string(number);
    return {session, std::move(asked), {}, {}};
}

DecideCommand reject(const std::string& session, std::uint64_t n) {
    core::Ruling ruling;
    ruling.decision = core::Decision::kReject;
    ruling.by = "ann";
    return {session, n, std::move(ruling), false};
}

std::uint64_t ask(PostgresDaemon& daemon, const AskCommand& command) {
    const Answer answer = daemon.ask(command);
    return Document::parse(std::get<BodyReply>(answer).body)["n"].get<std::uint64_t>();
}

/// One turn; whether each was answered well, in the order of the commands.
std::vector<Reply> answers(PostgresDaemon& daemon, const std::vector<const Command*>& commands) {
    daemon.replies().clear();
    daemon.turn(commands);
    std::vector<Reply> replies = std::move(daemon.replies());
    REQUIRE(replies.size() == commands.size());
    std::sort(replies.begin(), replies.end(),
              [](const Reply& a, const Reply& b) { return a.to.slot < b.to.slot; });
    return replies;
}

std::string of(std::uint64_t n) {
    return std::to_string(n);
}

}  // namespace

TEST_CASE("cluster: an approval that is damaged refuses its own commands alone", "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    const std::uint64_t old = ask(one, deploy("s", 0));
    one.ask(reject("s", old));
    // So many that the session itself forgets the first.
    const int many = static_cast<int>(core::limits::kApprovalsKeptMax) + 1;
    for (int number = 1; number <= many; ++number)
        one.ask(reject("s", ask(one, deploy("s", number))));
    const std::uint64_t waits = ask(one, deploy("s", many + 1));
    here.run("UPDATE approval SET state='\\xff' WHERE n IN (" + of(old) + "," + of(waits) + ")");

    const Command decide = reject("s", old);
    const Command report = ReportCommand{"s", {beat()}, true, {}};
    const Command other = deploy("other", 1);
    const auto replies = answers(one, {&decide, &report, &other});
    REQUIRE_FALSE(replies[0].what);
    CHECK(replies[0].what.error().code == core::ErrorCode::kInternal);
    CHECK(replies[0].what.error().detail.find("'s' is damaged") != std::string::npos);
    CHECK(replies[0].what.error().detail.find("doctor") == std::string::npos);  // not its database
    require_ok(replies[1].what);
    CHECK(std::get<AdviceReply>(*replies[1].what).advice.approvals.size() >= 1);
    require_ok(replies[2].what);
    CHECK(one.stats.commit_failures == 0);
    // The other parts of its session are decided all the same, and the row is whole again.
    one.ask(reject("s", waits));
    CHECK(here.number("SELECT count(*) FROM approval WHERE state='\\xff'") == 1);
}

TEST_CASE("cluster: a request that is damaged in the journal is not decided, and fails no turn",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    const std::uint64_t n = ask(one, deploy("s", 1));
    here.run("UPDATE journal SET crc=crc+1 WHERE n+count>" + of(n));
    const std::int64_t before = here.number("SELECT n FROM session");
    const Command decide = reject("s", n);
    const Command other = ReportCommand{"other", {beat()}, true, {}};
    const auto replies = answers(one, {&decide, &other});
    REQUIRE_FALSE(replies[0].what);
    CHECK(replies[0].what.error().code == core::ErrorCode::kInternal);
    require_ok(replies[1].what);
    CHECK(here.number("SELECT n FROM session WHERE name='s'") == before);
    CHECK(one.stats.commit_failures == 0);
}

TEST_CASE("cluster: a check that cannot be read keeps no daemon from its work", "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    EngineSettings settings;
    settings.judge.primary = "judge";
    PostgresDaemon one{here, "one", settings};
    one.report("s", {beat()});
    one.report("t", {beat()});
    one.ask(CheckCommand{"s", "first", "ann"});
    here.run("UPDATE journal SET crc=crc+1 WHERE session=(SELECT key FROM session WHERE name='s')");
    PostgresDaemon two{here, "two", settings};
    two.report("t", {beat()});
    for (int turns = 0; turns < 3; ++turns) {
        testclock::jump(Jump::pass(core::Millis{1'100}));
        one.turn();
        two.turn();
    }
    CHECK(two.report("t", {beat()}).size() == 1);
    CHECK(one.stats.commit_failures + two.stats.commit_failures == 0);
    const auto again = two.try_ask(CheckCommand{"s", "first", "ann"});
    REQUIRE_FALSE(again);
    CHECK(again.error().code == core::ErrorCode::kInternal);
    CHECK(two.lines.empty());
}

TEST_CASE("cluster: a check that another daemon asks about is not looked at all the time",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    EngineSettings settings;
    settings.judge.primary = "judge";
    PostgresDaemon one{here, "one", settings};
    one.report("s", {beat()});
    one.ask(CheckCommand{"s", "first", "ann"});
    REQUIRE(one.asked == std::vector<std::string>{"s"});
    PostgresDaemon two{here, "two", settings};
    const auto trips_of_a_pulse = [&two] {
        const std::uint64_t before = two.store().round_trips();
        testclock::jump(Jump::pass(core::Millis{1'100}));
        two.turn();
        return two.store().round_trips() - before;
    };
    const std::uint64_t first = trips_of_a_pulse();
    const std::uint64_t second = trips_of_a_pulse();
    CHECK(second < first);
    CHECK(trips_of_a_pulse() == second);
    CHECK(two.asked.empty());
}

TEST_CASE("cluster: a session whose row is behind its journal refuses its own commands alone",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    {
        PostgresDaemon before{here, "before"};
        before.report("s", {beat()});
        before.report("t", {beat()});
    }
    here.run("UPDATE session SET n=n-1,due_at=1 WHERE name='s'");  // from an older copy, or by hand
    PostgresDaemon one{here, "one"};
    const Command report = ReportCommand{"s", {beat()}, true, {}};
    const Command other = ReportCommand{"t", {beat()}, true, {}};
    for (int rounds = 0; rounds < 3; ++rounds) {
        const auto replies = answers(one, {&report, &other});
        REQUIRE_FALSE(replies[0].what);
        CHECK(replies[0].what.error().code == core::ErrorCode::kInternal);
        require_ok(replies[1].what);
        testclock::jump(Jump::pass(core::Millis{1'100}));
        one.turn();
    }
    CHECK(one.stats.commit_failures == 0);
    here.run("UPDATE session SET n=n+1 WHERE name='s'");
    CHECK(one.report("s", {beat()}).size() == 1);
}
