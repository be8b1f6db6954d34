// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "server/engine/hooks/hook_commands.hpp"
#include "server/engine/hooks/hook_dialogs.hpp"
#include "server/engine/reports/telemetry_commands.hpp"
#include "tests/support/hook_command.hpp"
#include "tests/support/postgres_daemon.hpp"

// Agents whose hooks arrive at one daemon and then at another, which does not know the first.

using namespace headway;
using namespace headway::server;
using namespace headway::tests;

namespace {

const std::string kPrompt = R"("event":"prompt","text":"fix it")";
const std::string kCall = R"("event":"pre","call":"c","tool":"bash","args":{"command":"ls"})";

HookAnswered answered(PostgresDaemon& daemon, const HookCommand& command) {
    return std::get<HookAnswered>(daemon.ask(command));
}

std::int64_t sessions(const PostgresHere& here) {
    return here.number("SELECT count(*) FROM session WHERE name IS NOT NULL");
}

}  // namespace

TEST_CASE("cluster: a hook goes to the session in force, whatever its daemon has heard of",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    PostgresDaemon two{here, "two"};
    answered(one, hook_command(kPrompt));
    CHECK(answered(two, hook_command(kCall)).session == "s");
    answered(one, hook_command(R"("event":"end")"));
    SECTION("a prompt opens the next one") {
        CHECK(answered(two, hook_command(kPrompt)).session == "s~2");
    }
    SECTION("a call as well") {
        CHECK(answered(two, hook_command(kCall)).session == "s~2");
        CHECK(here.number("SELECT count(*) FROM journal j JOIN session s ON s.key=j.session WHERE "
                          "s.name='s~2'") > 0);
    }
    SECTION("or goes on in it") {
        answered(one, hook_command(kPrompt));
        CHECK(answered(two, hook_command(kCall)).session == "s~2");
        answered(one, hook_command(R"("event":"end")"));
        answered(one, hook_command(kPrompt));
        CHECK(answered(two, hook_command(kCall)).session == "s~3");
        CHECK(sessions(here) == 3);
    }
    CHECK(two.stats.commit_failures == 0);
}

TEST_CASE("cluster: a call that must be asked about is asked about in the session in force",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    EngineSettings settings;
    settings.approvals.require_tools = {"class:shell"};
    PostgresDaemon one{here, "one", settings};
    PostgresDaemon two{here, "two", settings};
    answered(one, hook_command(kPrompt));
    answered(two, hook_command(R"("event":"pre","call":"b","tool":"read","args":{"path":"a"})"));
    answered(one, hook_command(R"("event":"end")"));
    const HookAnswered reply = answered(two, hook_command(kCall));
    CHECK(reply.session == "s~2");
    CHECK(reply.hold);
    CHECK(here.number("SELECT count(*) FROM approval WHERE pending=1") == 1);
}

TEST_CASE("cluster: a prompt at another daemon leaves the request of a held call", "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    EngineSettings settings;
    settings.approvals.require_tools = {"class:shell"};
    PostgresDaemon one{here, "one", settings};
    PostgresDaemon two{here, "two", settings};
    answered(one, hook_command(kPrompt));
    const HookAnswered held = answered(one, hook_command(kCall));
    REQUIRE(held.hold);
    answered(two, hook_command(R"("event":"prompt","text":"and then run the tests")"));
    CHECK(here.number("SELECT count(*) FROM approval WHERE pending=1") == 1);
    CHECK(std::get<HookAnswered>(one.ask(HookAgainCommand{held.session, held.call})).hold);
    one.ask(HookLeftCommand{"s", 0, "c"});
    answered(one, hook_command(R"("event":"prompt","text":"no, wait")"));
    CHECK(here.number("SELECT count(*) FROM approval WHERE pending=1") == 0);
}

TEST_CASE("cluster: a sub-agent belongs to the generation of its parent that runs", "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    PostgresDaemon two{here, "two"};
    answered(one, hook_command(kPrompt));
    answered(two, hook_command(kCall));
    answered(one, hook_command(R"("event":"end")"));
    answered(one, hook_command(kPrompt));
    HookCommand child = hook_command(kPrompt, "generic", "s.sub");
    child.parent = "s";
    answered(two, child);
    const auto shown = std::get<BodyReply>(two.ask(SessionQuery{"s.sub"}));
    CHECK(shown.body.find(R"("parent":"s~2")") != std::string::npos);
}

TEST_CASE("cluster: a session that another daemon has deleted is no generation", "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    PostgresDaemon two{here, "two"};
    answered(one, hook_command(kPrompt));
    answered(two, hook_command(kCall));
    answered(two, hook_command(R"("event":"end")"));
    one.ask(ForgetCommand{"s"});
    for (int steps = 0; steps < 20 && sessions(here) > 0; ++steps)
        one.upkeep();
    REQUIRE(sessions(here) == 0);
    CHECK(answered(two, hook_command(kPrompt)).session == "s");
    CHECK(sessions(here) == 1);
}

TEST_CASE("cluster: telemetry goes to the generation that runs", "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    PostgresDaemon two{here, "two"};
    answered(one, hook_command(kPrompt));
    answered(two, hook_command(kCall));
    answered(one, hook_command(R"("event":"end")"));
    answered(one, hook_command(kPrompt));
    const std::string count = "SELECT n FROM session WHERE name='s~2'";
    const std::int64_t before = here.number(count);
    TelemetryCommand telemetry;
    TelemetryReport& report = telemetry.reports.emplace_back();
    report.session = "s";
    core::Event answer = beat_with_id("told");  // usage is what telemetry adds beside hooks
    core::Message message;
    message.usage = core::Usage{};
    message.usage->tokens = 5;
    answer.payload = std::move(message);
    report.events.push_back(std::move(answer));
    two.ask(telemetry);
    CHECK(here.number(count) > before);
}
