// SPDX-License-Identifier: Apache-2.0
#include "server/engine/goals/goals.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "server/engine/hooks/hook_commands.hpp"
#include "tests/support/hook_command.hpp"
#include "tests/support/settle_down.hpp"

// When the end of an agent's turn is not taken for its end.

using namespace headway;
using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;

namespace {

constexpr const char* kStopHook = R"("hook_event_name":"Stop")";

api::hooks::GoalReport goal_with(std::uint64_t status) {
    api::hooks::GoalReport goal;
    goal.set = goal.ran = true;
    goal.exit_status = status;
    goal.command = "make test";
    goal.output = "1 test failed";
    return goal;
}

/// A session of Claude Code whose clock moves on with each hook.
class Turns {
public:
    Turns() { hook(R"("hook_event_name":"UserPromptSubmit","prompt":"go")"); }

    HookAnswered hook(const std::string& members, api::hooks::GoalReport goal = {},
                      const std::string& dialect = "claude") {
        daemon.clock().advance_to(at(1'000 * ++seconds_));
        HookCommand command = hook_command(members, dialect);
        command.goal = std::move(goal);
        auto result = daemon.ask(std::move(command));
        require_ok(result);
        return std::get<HookAnswered>(*std::move(result));
    }
    void call() {
        const std::string id = std::to_string(++calls_);
        const std::string about = R"("tool_name":"Write","tool_input":{"file_path":"/src/)" + id +
                                  R"(.c","content":"int f)" + id + R"(;"},"tool_use_id":"t)" + id +
                                  '"';
        hook(R"("hook_event_name":"PreToolUse",)" + about);
        hook(R"("hook_event_name":"PostToolUse",)" + about +
             R"(,"tool_response":{"type":"create","filePath":"/src/)" + id + R"(.c"})");
    }
    bool asks() {
        api::hooks::GoalReport goal = goal_with(0);
        goal.ran = false;
        return hook(kStopHook, goal).wants_goal;
    }
    /// One turn that ends: the words on which the agent goes on.
    std::string stop_with(std::uint64_t status) {
        if (!asks()) return {};
        return hook(kStopHook, goal_with(status)).reply.go_on;
    }
    template <class Payload>
    std::vector<Payload> all_of() {
        std::vector<Payload> found;
        for (const Event& event : daemon.journal("s"))
            if (const auto* one = std::get_if<Payload>(&event.payload)) found.push_back(*one);
        return found;
    }
    bool is_blocked() {
        const auto verdicts = all_of<VerdictChanged>();
        return !verdicts.empty() && verdicts.back().to == Verdict::kBlocked;
    }
    void pause() { require_ok(daemon.ask(ControlCommand{"s", Control::kPause, {}, false})); }

    Supervised daemon{EngineSettings{}, at(0)};

private:
    int calls_ = 0;
    int seconds_ = 0;
};

}  // namespace

TEST_CASE("goals: a command that fails at the end of a turn makes the agent go on", "[server]") {
    Turns turns;
    turns.call();
    CHECK(turns.stop_with(2) ==
          "The operator's goal is not reached: `make test` ends with exit status 2. Its output "
          "ends so:\n1 test failed\n Continue until it passes.");
    const auto messages = turns.all_of<Message>();
    CHECK(messages.back().role == "system");
    CHECK(messages.back().text.kept == "goes on, 1 of 5: `make test` ends with exit status 2");
    const auto checks = turns.all_of<ToolFinished>();
    CHECK(checks.back().tool == "check");
    CHECK_FALSE(checks.back().ok);
    CHECK(checks.back().args.kept == R"({"command":"make test"})");
    turns.call();
    CHECK(turns.stop_with(0).empty());
    CHECK(turns.all_of<ToolFinished>().back().ok);
    CHECK(turns.all_of<ErrorReported>().empty());
}

TEST_CASE("goals: without one, no hook asks for its command", "[server]") {
    Turns turns;
    turns.call();
    CHECK_FALSE(turns.hook(kStopHook).wants_goal);
    api::hooks::GoalReport goal = goal_with(1);
    goal.ran = false;
    CHECK_FALSE(turns.hook(R"("hook_event_name":"Notification","message":"x")", goal).wants_goal);
    CHECK_FALSE(turns.hook(R"("event":"stop")", goal, "generic").wants_goal);
}

TEST_CASE("goals: an agent goes on five times in a session, then a person is needed", "[server]") {
    Turns turns;
    for (int turn = 0; turn < 5; ++turn) {
        turns.call();
        CHECK_FALSE(turns.stop_with(2).empty());
    }
    turns.call();
    CHECK(turns.stop_with(2).empty());
    const auto errors = turns.all_of<ErrorReported>();
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].message.kept ==
          "the goal is not reached: `make test` ends with exit status 2, and the agent went on 5 "
          "times");
    CHECK(turns.is_blocked());
    // A new prompt of a person does not begin the count again.
    turns.hook(R"("hook_event_name":"UserPromptSubmit","prompt":"go on")");
    turns.call();
    CHECK(turns.stop_with(2).empty());
}

TEST_CASE("goals: an agent that made no call since it went on is let go", "[server]") {
    Turns turns;
    turns.call();
    CHECK_FALSE(turns.stop_with(2).empty());
    CHECK(turns.stop_with(2).empty());
    REQUIRE(turns.all_of<ErrorReported>().size() == 1);
    CHECK(turns.all_of<ErrorReported>()[0].message.kept.ends_with(
        "the agent made no call since it went on"));
    turns.call();
    CHECK_FALSE(turns.stop_with(2).empty());
}

TEST_CASE("goals: a command that cannot be run is not the agent's to mend", "[server]") {
    for (const std::uint64_t status : {126U, 127U}) {
        Turns turns;
        turns.call();
        CHECK(turns.stop_with(status).empty());
        REQUIRE(turns.all_of<ErrorReported>().size() == 1);
        CHECK_THAT(turns.all_of<ErrorReported>()[0].message.kept,
                   Catch::Contains("operator's goal command cannot be run"));
        CHECK(turns.is_blocked());
    }
}

TEST_CASE("goals: nothing is run while a person holds the session back", "[server]") {
    SECTION("paused") {
        Turns turns;
        turns.call();
        turns.pause();
        CHECK_FALSE(turns.asks());
    }
    SECTION("cancelled") {
        Turns turns;
        turns.call();
        require_ok(turns.daemon.ask(CancelCommand{"s", {"enough"}}));
        CHECK_FALSE(turns.asks());
    }
    SECTION("ended") {
        Turns turns;
        turns.call();
        turns.hook(R"("hook_event_name":"SessionEnd")");
        CHECK_FALSE(turns.asks());
        CHECK(turns.hook(kStopHook, goal_with(2)).reply.go_on.empty());
    }
    SECTION("paused while the command ran") {
        Turns turns;
        turns.call();
        CHECK(turns.asks());
        turns.pause();
        CHECK(turns.hook(kStopHook, goal_with(2)).reply.go_on.empty());
        CHECK(turns.all_of<ToolFinished>().back().tool == "check");
    }
}

TEST_CASE("goals: work in the background and a sub-agent are no end of the agent's work",
          "[server]") {
    Turns turns;
    turns.call();
    api::hooks::GoalReport goal = goal_with(2);
    goal.ran = false;
    CHECK_FALSE(
        turns
            .hook(
                R"("hook_event_name":"Stop","background_tasks":[{"id":"b","type":"shell","status":"running","description":"npm run dev"}])",
                goal)
            .wants_goal);
    CHECK_FALSE(turns.hook(R"("hook_event_name":"SubagentStop","agent_id":"a1")", goal).wants_goal);
}

TEST_CASE("goals: the report of the command's end is no second end of the turn", "[server]") {
    Turns turns;
    turns.call();
    CHECK(turns.asks());
    const auto before = turns.all_of<StateChanged>().size();
    turns.hook(kStopHook, goal_with(2));
    CHECK(turns.all_of<StateChanged>().size() == before);
}
