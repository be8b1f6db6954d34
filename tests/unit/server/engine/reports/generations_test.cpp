// SPDX-License-Identifier: Apache-2.0
#include "server/engine/reports/generations.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "api/hooks/report.hpp"
#include "server/engine/hooks/hook_commands.hpp"
#include "server/engine/reports/ping_commands.hpp"
#include "tests/support/supervised.hpp"

// Limits that an agent keeps when it ends its own session and goes on in the next generation.

// A namespace of its own: the files beside it have helpers of the same names.
namespace headway::generations_test {
namespace {

using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;

const std::string kStart = R"("event":"start")";
const std::string kPrompt = R"("event":"prompt","text":"go")";

std::string call(int number) {
    const std::string id = std::to_string(number);
    return R"("event":"pre","tool":"bash","args":{"command":"ls )" + id + R"("},"call":")" + id +
           "\"";
}

std::string done(int number) {
    const std::string id = std::to_string(number);
    return R"("event":"post","tool":"bash","args":{"command":"ls )" + id + R"("},"call":")" + id +
           R"(","result":")" + id + "\"";
}

HookCommand hook(const std::string& members, const std::string& session = "s") {
    api::JsonDocument document;
    REQUIRE(document.parse(R"({"session":"1",)" + members + "}").has_value());
    HookCommand command;
    command.call.dialect = api::hooks::find_dialect("generic");
    command.call.hook = command.call.dialect->parse(document.root(), {});
    command.session = session;
    command.about.agent.type = "generic";
    command.about.labels.push_back({"adapter", "generic"});
    auto report = api::hooks::take_report(document, command.call.hook);
    REQUIRE(report.has_value());
    command.events = std::move(report->decoded.events);
    command.call.args_digest = std::move(report->args_digest);
    return command;
}

HookAnswered answered(Supervised& daemon, HookCommand command) {
    auto what = daemon.ask(std::move(command));
    require_ok(what);
    return std::get<HookAnswered>(*std::move(what));
}

OpenCommand opening(const std::string& session) {
    OpenCommand command;
    command.session = session;
    command.controls = true;
    return command;
}

OpenCommand strict_with(const BudgetLimits& limits) {
    OpenCommand command = opening("s");
    command.about.budget = limits;
    command.about.policy.profile = Profile::kStrict;
    command.about.policy.on_stuck = OnStuck::kHalt;
    ToolPolicy deploy;
    deploy.tool = "deploy";
    deploy.requires_approval = true;
    command.about.policy.tools = {deploy};
    command.about.parent = "above";
    command.about.agent = {"coder", "c", {}};
    command.about.labels = {{"team", "a"}};
    return command;
}

void end_itself(Supervised& daemon, const std::string& session) {
    EndCommand end;
    end.session = session;
    end.end.outcome = Outcome::kCompleted;
    require_ok(daemon.ask(end));
}

void control(Supervised& daemon, const std::string& session, Control what) {
    ControlCommand command;
    command.session = session;
    command.control = what;
    command.body.by = "ann";
    require_ok(daemon.ask(command));
}

Event used(std::uint64_t tokens, double cost) {
    Heartbeat beat;
    beat.usage = use_of(tokens, 0, 0, cost);
    return event(beat);
}

/// The opening of a session, or what it was amended to.
template <class P = SessionStarted>
P opened(Supervised& daemon, const std::string& session) {
    for (const Event& event : daemon.journal(session)) {
        if (const auto* found = std::get_if<P>(&event.payload)) return *found;
    }
    FAIL("no opening in " << session);
    return {};
}

std::string label(const std::vector<Label>& labels, std::string_view key) {
    for (const Label& one : labels) {
        if (one.key == key) return one.value;
    }
    return {};
}

void take_steps(Supervised& daemon, int steps) {
    for (int i = 0; i < steps; ++i) {
        answered(daemon, hook(call(i)));
        answered(daemon, hook(done(i)));
    }
}

ErrorCode refusal(Supervised& daemon, headway::tests::Command command) {
    auto what = daemon.ask(std::move(command));
    REQUIRE_FALSE(what.has_value());
    return what.error().code;
}

}  // namespace

TEST_CASE("engine generations: the next one has the rules of its session", "[server]") {
    const std::string hook_kind = GENERATE(as<std::string>{}, kStart, kPrompt, call(99));
    Supervised daemon;
    require_ok(daemon.ask(strict_with({})));
    for (const char* next : {"s~2", "s~3"}) {
        end_itself(daemon, std::string{next} == "s~2" ? "s" : "s~2");
        CHECK(answered(daemon, hook(hook_kind)).session == next);
        const SessionStarted about = opened(daemon, next);
        CHECK(about.policy.profile == Profile::kStrict);
        CHECK(about.policy.on_stuck == OnStuck::kHalt);
        REQUIRE(about.policy.tools.size() == 1);
        CHECK(about.policy.tools[0].requires_approval);
        CHECK(about.parent == "above");
        CHECK(about.agent.type == "coder");
        CHECK(label(about.labels, "team") == "a");
        CHECK(label(about.labels, "adapter") == "generic");
        CHECK(label(about.labels, "resumed") == "s");
        CHECK(about.budget == BudgetLimits{});
    }
}

TEST_CASE("engine generations: a prompt that gives the goal keeps the rules", "[server]") {
    Supervised daemon;
    require_ok(daemon.ask(strict_with({{}, 10, {}, {}})));
    end_itself(daemon, "s");
    answered(daemon, hook(kStart));
    answered(daemon, hook(kPrompt));
    const auto amended = opened<SessionAmended>(daemon, "s~2");
    CHECK(amended.goal.kept == "go");
    CHECK(amended.policy.profile == Profile::kStrict);
    CHECK(amended.policy.tools.size() == 1);
    CHECK(amended.parent == "above");
    CHECK(label(amended.labels, "team") == "a");
    CHECK(amended.budget.max_steps == 10);
}

TEST_CASE("engine generations: the next one has what is left of the budget", "[server]") {
    const std::string hook_kind = GENERATE(as<std::string>{}, kStart, kPrompt, call(99));
    const Timestamp start{std::chrono::hours{1'000'000}};
    Supervised daemon{{}, start};
    require_ok(daemon.ask(strict_with({100, 10, 1'000, 2.0})));
    take_steps(daemon, 4);
    daemon.report("s", {used(300, 0.5)});
    BudgetCommand more{"s", {true, {{}, 5, {}, {}}, "ann", "more"}};
    require_ok(daemon.ask(more));
    daemon.clock().advance_to(start + std::chrono::seconds{20});
    end_itself(daemon, "s");
    CHECK(answered(daemon, hook(hook_kind)).session == "s~2");
    const SessionStarted about = opened(daemon, "s~2");
    CHECK(about.budget.max_steps == 11);
    CHECK(about.budget.max_tokens == 700);
    CHECK(about.budget.max_cost_usd == Approx(1.5));
    CHECK(about.budget.timeout_seconds == 80);
    CHECK(about.budget_source == BudgetSource::kOperator);
}

TEST_CASE("engine generations: a used up limit stays used up, and is never none", "[server]") {
    const Timestamp start{std::chrono::hours{1'000'000}};
    Supervised daemon{{}, start};
    require_ok(daemon.ask(strict_with({100, 200, 1'000, 2.0})));
    daemon.report("s", {used(990, 1.99)});
    daemon.clock().advance_to(start + std::chrono::seconds{95});
    daemon.report("s", {event(Heartbeat{})});
    end_itself(daemon, "s");
    SECTION("the agent goes on in none by itself") {
        CHECK(answered(daemon, hook(call(1))).session == "s");
        CHECK(answered(daemon, hook(call(1))).reply.stop_hard);
    }
    SECTION("a prompt gets what is left") {
        CHECK(answered(daemon, hook(kPrompt)).session == "s~2");
        const SessionStarted about = opened(daemon, "s~2");
        CHECK(about.budget.max_steps == 200);
        CHECK(about.budget.max_tokens == 10);
        CHECK(about.budget.timeout_seconds == 5);
        daemon.report("s~2", {used(10, 0.02)});
        CHECK(opened<SessionEnded>(daemon, "s~2").outcome == Outcome::kBudgetExhausted);
        CHECK(answered(daemon, hook(kPrompt)).session == "s~3");
        const SessionStarted last = opened(daemon, "s~3");
        CHECK(last.budget.max_tokens == 0);
        CHECK(last.budget.max_cost_usd == 0);
        CHECK_FALSE(answered(daemon, hook(call(1))).reply.stop.empty());
    }
    SECTION("a person raises it in the session that the prompt began") {
        CHECK(answered(daemon, hook(kPrompt)).session == "s~2");
        daemon.report("s~2", {used(10, 0.02)});
        CHECK(answered(daemon, hook(kPrompt)).session == "s~3");
        require_ok(daemon.ask(BudgetCommand{"s~3", {true, {100, {}, 50, 1.0}, "ann", ""}}));
        CHECK(answered(daemon, hook(call(1))).reply.stop.empty());
        CHECK(answered(daemon, hook(kPrompt)).session == "s~3");
    }
    SECTION("without it, more than a few refused calls end the session") {
        CHECK(answered(daemon, hook(kPrompt)).session == "s~2");
        daemon.report("s~2", {used(10, 0.02)});
        CHECK(answered(daemon, hook(kPrompt)).session == "s~3");
        take_steps(daemon, 3);
        daemon.report("s~3", {used(1, 0)});
        CHECK(answered(daemon, hook(kPrompt)).session == "s~3");
        take_steps(daemon, 16);
        CHECK(opened<SessionEnded>(daemon, "s~3").outcome == Outcome::kBudgetExhausted);
    }
}

TEST_CASE("engine generations: a call in flight gets more time once, not in each", "[server]") {
    const Timestamp start{std::chrono::hours{1'000'000}};
    Supervised daemon{{}, start};
    require_ok(daemon.ask(strict_with({100, {}, {}, {}})));
    answered(daemon, hook(call(1)));
    daemon.clock().advance_to(start + std::chrono::seconds{101});
    (void)daemon.turn({});
    REQUIRE(opened<BudgetExtended>(daemon, "s").added.timeout_seconds == 60);
    end_itself(daemon, "s");
    for (const char* next : {"s~2", "s~3"}) {
        CHECK(answered(daemon, hook(kPrompt)).session == next);
        const SessionStarted about = opened(daemon, next);
        CHECK(about.budget.timeout_seconds == 0);
        CHECK(about.budget_rules.in_flight_extension_seconds == 0);
        daemon.clock().advance_to(start +
                                  std::chrono::seconds{std::string{next} == "s~2" ? 300 : 600});
        (void)daemon.turn({});
        CHECK_FALSE(answered(daemon, hook(call(1))).reply.stop.empty());
        take_steps(daemon, 17);
        CHECK(opened<SessionEnded>(daemon, next).outcome == Outcome::kBudgetExhausted);
    }
}

TEST_CASE("engine generations: defaults begin again", "[server]") {
    EngineSettings settings;
    settings.budget.defaults.max_steps = 50;
    settings.budget.agents = {{"coder", {{}, 7, {}, {}}}};
    Supervised daemon{settings};
    SECTION("of all agents") {
        answered(daemon, hook(kPrompt));
        take_steps(daemon, 4);
        end_itself(daemon, "s");
        answered(daemon, hook(kPrompt));
        CHECK(opened(daemon, "s~2").budget.max_steps == 50);
        CHECK(opened(daemon, "s~2").budget_source == BudgetSource::kConfig);
        CHECK(opened(daemon, "s~2").policy == opened(daemon, "s").policy);
    }
    SECTION("of the type that the session had") {
        OpenCommand command = opening("s");
        command.about.agent.type = "coder";
        require_ok(daemon.ask(command));
        end_itself(daemon, "s");
        answered(daemon, hook(kPrompt));
        CHECK(opened(daemon, "s~2").budget.max_steps == 7);
    }
}

TEST_CASE("engine generations: a paused session is paused in the next one", "[server]") {
    const std::string hook_kind = GENERATE(as<std::string>{}, kStart, kPrompt, call(99));
    Supervised daemon;
    answered(daemon, hook(kPrompt));
    control(daemon, "s", Control::kPause);
    end_itself(daemon, "s");
    answered(daemon, hook(hook_kind));
    CHECK(answered(daemon, hook(call(1))).hold);
    end_itself(daemon, "s~2");
    const HookAnswered third = answered(daemon, hook(call(1)));
    CHECK(third.session == "s~3");
    CHECK(third.hold);
    control(daemon, "s~3", Control::kResume);
    CHECK_FALSE(answered(daemon, hook(call(2))).hold);
    end_itself(daemon, "s~3");
    CHECK_FALSE(answered(daemon, hook(call(3))).hold);
}

TEST_CASE("engine generations: the end and the next hook may come in one turn", "[server]") {
    Supervised daemon;
    require_ok(daemon.ask(strict_with({{}, 10, {}, {}})));
    take_steps(daemon, 4);
    control(daemon, "s", Control::kPause);
    EndCommand end;
    end.session = "s";
    auto replies = daemon.turn({end, hook(call(9))});
    REQUIRE(replies.size() == 2);
    require_ok(replies[1].what);
    CHECK(std::get<HookAnswered>(*replies[1].what).session == "s~2");
    CHECK(std::get<HookAnswered>(*replies[1].what).hold);
    CHECK(opened(daemon, "s~2").budget.max_steps == 6);
}

TEST_CASE("engine generations: what an operator opens has what the operator gives", "[server]") {
    Supervised daemon;
    require_ok(daemon.ask(strict_with({{}, 10, {}, {}})));
    control(daemon, "s", Control::kPause);
    end_itself(daemon, "s");
    OpenCommand command = opening("s~2");
    command.by_person = true;
    command.about.budget.max_steps = 100;
    require_ok(daemon.ask(command));
    CHECK(opened(daemon, "s~2").budget.max_steps == 100);
    CHECK(opened(daemon, "s~2").policy.profile == Profile::kBalanced);
    const HookAnswered next = answered(daemon, hook(call(1)));
    CHECK(next.session == "s~2");
    CHECK_FALSE(next.hold);
}

TEST_CASE("engine generations: an agent that opens the next one gets no other rules", "[server]") {
    Supervised daemon;
    require_ok(daemon.ask(strict_with({{}, 10, {}, {}})));
    take_steps(daemon, 4);
    control(daemon, "s", Control::kPause);
    end_itself(daemon, "s");
    OpenCommand command = opening("s~2");
    command.controls = false;
    SECTION("by an opening") {
        command.about.budget.max_steps = 100;
        command.about.budget.max_tokens = 100;
        command.about.policy.profile = Profile::kBalanced;
        require_ok(daemon.ask(command));
        const SessionStarted own = opened(daemon, "s~2");
        CHECK(own.budget.max_tokens == 100);
        CHECK(std::count(own.raised.begin(), own.raised.end(), "/policy/profile") == 1);
    }
    SECTION("by a report") {
        daemon.report("s~2", {beat()});
    }
    SECTION("by a report of a call that needs approval") {
        ToolStarted deploy;
        deploy.call_id = "d";
        deploy.tool = "deploy";
        daemon.report("s~2", {event(deploy)});
        CHECK(opened<ApprovalRequested>(daemon, "s~2").source == "policy");
    }
    SECTION("by a request for approval") {
        AskCommand ask;
        ask.session = "s~2";
        ask.asked.kind = ApprovalKind::kQuestion;
        ask.asked.summary = bounded_text("may I?");
        require_ok(daemon.ask(ask));
    }
    SECTION("by a ping") {
        PingCommand ping;
        ping.job = "s";
        ping.kind = PingKind::kStart;
        require_ok(daemon.ask(ping));
    }
    SECTION("and tightens it by an opening after a hook") {
        answered(daemon, hook(call(8)));
        command.about.policy.profile = Profile::kBalanced;
        command.about.parent = "other";
        require_ok(daemon.ask(command));
        const auto amended = opened<SessionAmended>(daemon, "s~2");
        CHECK(amended.policy.profile == Profile::kStrict);
        CHECK(amended.budget.max_steps == 6);
        CHECK(std::count(amended.raised.begin(), amended.raised.end(), "/policy/profile") == 1);
    }
    const SessionStarted about = opened(daemon, "s~2");
    CHECK(about.policy.profile == Profile::kStrict);
    CHECK(about.parent == "above");
    CHECK(about.budget.max_steps == 6);
    CHECK(answered(daemon, hook(call(9))).hold);
}

TEST_CASE("engine generations: a parent that does not exist is no way out of a family",
          "[server]") {
    Supervised daemon;
    require_ok(daemon.ask(strict_with({})));
    const auto child = [&](const std::string& id) {
        OpenCommand command = opening(id);
        command.controls = false;
        command.about.parent = "s~7";
        require_ok(daemon.ask(command));
        CHECK(opened(daemon, id).parent == "s");
    };
    child("kid");
    end_itself(daemon, "kid");
    child("kid~2");
    control(daemon, "s", Control::kPause);
    CHECK(answered(daemon, hook(call(1), "kid")).hold);
}

TEST_CASE("engine generations: an operator's opening wins over one of the agent's", "[server]") {
    Supervised daemon;
    OpenCommand agents = opening("s");
    agents.controls = false;
    agents.about.goal = bounded_text("of the agent");
    agents.about.labels = {{"team", "b"}};
    agents.about.budget.max_steps = 100;
    agents.about.agent = {"claude-code", "c", {}};
    agents.about.parent = "above";
    require_ok(daemon.ask(agents));
    OpenCommand persons = opening("s");
    persons.controls = persons.by_person = true;
    persons.about.goal = bounded_text("of the person");
    persons.about.labels = {{"team", "a"}};
    persons.about.budget.max_steps = 6;
    require_ok(daemon.ask(persons));
    const auto won = [&] {
        const auto about = opened<SessionAmended>(daemon, "s");
        CHECK(about.goal.kept == "of the person");
        CHECK(about.labels == std::vector<Label>{{"team", "a"}});
        CHECK(about.budget.max_steps == 6);
        CHECK(about.agent.type == "claude-code");  // kept, as what it does not name
        CHECK(about.parent == "above");
    };
    won();
    require_ok(daemon.ask(persons));  // its reply was lost
    OpenCommand part = opening("s");
    part.controls = part.by_person = true;
    part.about.goal = persons.about.goal;
    require_ok(daemon.ask(part));
    CHECK(refusal(daemon, agents) == ErrorCode::kSessionExists);
    persons.about.goal = bounded_text("another of the person");
    CHECK(refusal(daemon, persons) == ErrorCode::kSessionExists);
    won();
}

TEST_CASE("engine generations: none begins before the one before it has ended", "[server]") {
    Supervised daemon;
    require_ok(daemon.ask(strict_with({{}, 10, {}, {}})));
    const std::string early = GENERATE(as<std::string>{}, "s~2", "s~3");
    OpenCommand command = opening(early);
    command.controls = false;
    CHECK(refusal(daemon, command) == ErrorCode::kForbidden);
    CHECK(refusal(daemon, ReportCommand{early, {beat()}}) == ErrorCode::kForbidden);
    CHECK(refusal(daemon, hook(kPrompt, early)) == ErrorCode::kForbidden);
    PingCommand ping;
    ping.job = early;
    ping.kind = PingKind::kStart;
    CHECK(refusal(daemon, ping) == ErrorCode::kForbidden);
    CHECK_FALSE(daemon.sqlite().find(early).value().has_value());
    CHECK(refusal(daemon, ReportCommand{"t~2", {beat()}}) == ErrorCode::kForbidden);
    command.controls = command.by_person = true;
    CHECK(refusal(daemon, command) == ErrorCode::kForbidden);
    // Other ids are like any, and an operator may name a first session so.
    daemon.report("s~x", {beat()});
    daemon.report("s~02", {beat()});
    command.session = "t~2";
    require_ok(daemon.ask(command));
}

TEST_CASE("engine generations: an opening that is sent again is answered", "[server]") {
    Supervised daemon;
    require_ok(daemon.ask(strict_with({})));
    end_itself(daemon, "s");
    OpenCommand again;
    again.session = "s~2";
    again.about.agent = {"other", "two", {}};
    again.about.labels = {{"team", "b"}};
    again.about.budget.max_steps = 50;
    require_ok(daemon.ask(again));
    require_ok(daemon.ask(again));  // its reply was lost
    end_itself(daemon, "s~2");
    require_ok(daemon.ask(again));
    CHECK_FALSE(daemon.sqlite().find("s~3").value().has_value());
    CHECK(opened(daemon, "s~2").agent.type == "coder");
}

TEST_CASE("engine generations: tools with rules do not grow from one to the next", "[server]") {
    Supervised daemon;
    std::string session = "s";
    for (int number = 1; number <= 5; ++number) {
        OpenCommand own;
        own.session = session;
        for (std::size_t i = 0; i < limits::kToolPoliciesMax; ++i) {
            ToolPolicy tool;
            tool.tool = "t" + std::to_string(number) + "-" + std::to_string(i);
            tool.requires_approval = true;
            own.about.policy.tools.push_back(tool);
        }
        require_ok(daemon.ask(own));
        const auto stored = opened(daemon, session).policy.tools;
        REQUIRE(stored.size() == limits::kToolPoliciesMax);
        CHECK(stored.front().tool.starts_with("t1-"));
        end_itself(daemon, session);
        session = next_generation("s", session);
    }
}

TEST_CASE("engine generations: no session is its own parent, and other numbers are any id",
          "[server]") {
    Supervised daemon;
    OpenCommand first = opening("s");
    first.about.parent = "s~2";
    require_ok(daemon.ask(first));
    end_itself(daemon, "s");
    daemon.report("s~2", {beat()});
    CHECK(opened(daemon, "s~2").parent.empty());
    OpenCommand year;
    year.session = "s~2024";
    require_ok(daemon.ask(year));
}

TEST_CASE("engine generations: a stop by a rule is no matter of the agent's own end", "[server]") {
    EngineSettings settings;
    settings.policy.profile = Profile::kStrict;
    settings.policy.on_stuck = OnStuck::kStop;
    Supervised daemon{settings};
    answered(daemon, hook(kPrompt));
    for (int i = 0; i < 60 && !answered(daemon, hook(call(1))).reply.stop_hard; ++i)
        answered(daemon, hook(done(1)));
    end_itself(daemon, "s");
    CHECK(answered(daemon, hook(call(2))).session == "s");
}

TEST_CASE("engine generations: of many that have ended only the newest is loaded", "[server]") {
    Supervised daemon;
    answered(daemon, hook(kStart));
    end_itself(daemon, "s");
    for (int number = 2; number <= 40; ++number) {
        const std::string id = "s~" + std::to_string(number);
        CHECK(answered(daemon, hook(kPrompt)).session == id);
        end_itself(daemon, id);
    }
    daemon.restart();
    const int before = daemon.store().loads();
    SECTION("by a hook that comes late") {
        CHECK(answered(daemon, hook(R"("event":"end")")).session == "s~40");
        CHECK(daemon.store().loads() - before <= 1);
    }
    SECTION("by one that goes on") {
        CHECK(answered(daemon, hook(kPrompt)).session == "s~41");
        CHECK(daemon.store().loads() - before <= 2);  // and the first, which names them
    }
    SECTION("by a ping") {
        PingCommand ping;
        ping.job = "s";
        ping.kind = PingKind::kStart;
        require_ok(daemon.ask(ping));
        CHECK(daemon.sqlite().find("s~41").value().has_value());
        CHECK(daemon.store().loads() - before <= 2);
    }
}

TEST_CASE("engine generations: a ping sheds nothing of what only calls itself a job", "[server]") {
    Supervised daemon;
    HookCommand start = hook(kStart);
    start.about.agent.type = "job";
    start.about.labels = {{"adapter", "ping"}};
    answered(daemon, std::move(start));
    require_ok(daemon.ask(BudgetCommand{"s", {false, {{}, 7, {}, {}}, "ann", ""}}));
    control(daemon, "s", Control::kPause);
    end_itself(daemon, "s");
    PingCommand ping;
    ping.job = "s";
    ping.kind = PingKind::kStart;
    require_ok(daemon.ask(ping));
    CHECK(opened(daemon, "s~2").budget.max_steps == 7);
    CHECK(answered(daemon, hook(call(1))).hold);
}

TEST_CASE("engine generations: the next run of a job has what the operator set, and no rules",
          "[server]") {
    Supervised daemon;
    PingCommand ping;
    ping.job = "j";
    ping.kind = PingKind::kStart;
    require_ok(daemon.ask(ping));
    OpenCommand amend = opening("j");
    amend.about.policy.profile = Profile::kStrict;
    amend.about.budget.max_steps = 9;
    require_ok(daemon.ask(amend));
    const bool set = GENERATE(false, true);
    if (set) {
        require_ok(daemon.ask(BudgetCommand{"j", {false, {{}, 7, {}, {}}, "ann", ""}}));
        control(daemon, "j", Control::kPause);
    }
    end_itself(daemon, "j");
    require_ok(daemon.ask(ping));
    const SessionStarted about = opened(daemon, "j~2");
    CHECK(about.policy.profile != Profile::kStrict);
    CHECK(about.budget.max_steps == (set ? std::optional<std::uint64_t>{7} : std::nullopt));
    CHECK(answered(daemon, hook(call(1), "j")).hold == set);
}

}  // namespace headway::generations_test
