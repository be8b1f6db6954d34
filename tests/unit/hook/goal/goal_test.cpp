// SPDX-License-Identifier: Apache-2.0
#include "hook/goal/goal.hpp"

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <string>

using namespace headway::hook;

namespace {

constexpr int kLong = 60'000;

char* no_variable(const char*) {
    return nullptr;
}

char* project_variable(const char* name) {
    static std::string folder = "/srv/project";
    return std::string_view{name} == "CLAUDE_PROJECT_DIR" ? folder.data() : nullptr;
}

}  // namespace

TEST_CASE("goal: only the end of a turn of an agent that can go on there asks for it", "[hook]") {
    const std::string stop = R"({"hook_event_name":"Stop","session_id":"1"})";
    for (const char* agent : {"claude", "codex", "qwen", "copilot"})
        CHECK(is_turn_end(agent, stop));
    CHECK(is_turn_end("gemini", R"({"hook_event_name":"AfterAgent"})"));
    CHECK_FALSE(is_turn_end("gemini", stop));
    CHECK_FALSE(is_turn_end("cline", stop));
    CHECK_FALSE(is_turn_end("generic", stop));
    for (const char* other : {"SubagentStop", "StopFailure", "PreToolUse", "SessionEnd"})
        CHECK_FALSE(is_turn_end("claude", R"({"hook_event_name":")" + std::string{other} + "\"}"));
    CHECK_FALSE(is_turn_end("claude", R"({"hook_event_name":"Stop","agent_id":"a1"})"));
    CHECK_FALSE(is_turn_end("claude", ""));
}

TEST_CASE("goal: the status of its command is that of a shell, and the end of its output is kept",
          "[hook]") {
    const GoalRun passed = run_goal("echo fine", "", kLong);
    CHECK(passed.status == 0);
    CHECK(passed.output == "fine\n");
    const GoalRun failed = run_goal("echo out; echo err >&2; exit 3", "", kLong);
    CHECK(failed.status == 3);
    CHECK(failed.output == "out\nerr\n");
    CHECK_FALSE(failed.timed_out);
    CHECK(run_goal("kill -9 $$", "", kLong).status == 137);
    CHECK(run_goal("headway-no-such-program", "", kLong).status == 127);
    const GoalRun loud = run_goal("yes | head -c 300000; echo last", "", kLong);
    CHECK(loud.output.size() == kGoalOutputBytes);
    CHECK(loud.output.ends_with("last\n"));
}

TEST_CASE("goal: a command that never stops printing has its time limit", "[hook]") {
    const GoalRun run = run_goal("yes & yes & yes & yes", "", 300);
    CHECK(run.timed_out);
    CHECK(run.output.starts_with("y"));
}

TEST_CASE("goal: a command whose end is unknown has not passed", "[hook]") {
    // The kernel then reaps children by itself, and their status is lost.
    const auto before = std::signal(SIGCHLD, SIG_IGN);
    const GoalRun run = run_goal("true", "", kLong);
    std::signal(SIGCHLD, before);
    CHECK(run.status == 127);
    CHECK_FALSE(run.timed_out);
}

TEST_CASE("goal: its command runs in the session's folder, without the agent's input", "[hook]") {
    CHECK(run_goal("pwd; cat", "/usr", kLong).output == "/usr\n");
    std::fflush(stdout);  // ThreadSanitizer writes what a child has of it at _exit()
    const GoalRun gone = run_goal("true", "/no/such/folder", kLong);
    CHECK(gone.status == 127);
    CHECK(gone.output == "/no/such/folder cannot be entered\n");
    const std::string body = R"({"hook_event_name":"Stop","cwd":"/srv/elsewhere"})";
    CHECK(goal_folder(no_variable, body) == "/srv/elsewhere");
    CHECK(goal_folder(project_variable, body) == "/srv/project");
    CHECK(goal_folder(no_variable, R"({"cwd":"elsewhere"})") == "");
    CHECK(goal_folder(no_variable, "{}") == "");
}

TEST_CASE("goal: a command that does not end is killed with its children", "[hook]") {
    const GoalRun run = run_goal("echo begun; sleep 600 & sleep 600", "", 300);
    CHECK(run.timed_out);
    CHECK(run.output == "begun\n");
}

TEST_CASE("goal: what a command leaves behind is not waited for", "[hook]") {
    const GoalRun run = run_goal("sleep 5 & echo done; exit 1", "", kLong);
    CHECK(run.status == 1);
    CHECK(run.output == "done\n");
    CHECK_FALSE(run.timed_out);
}

TEST_CASE("goal: a header has the command and the output as digits", "[hook]") {
    CHECK(goal_question("a b") == "ask;612062");
    CHECK(goal_report("x", {2, false, "\n\xff"}) == "2;78;0aff");
    CHECK(goal_report("x", {137, true, ""}) == "time;78;");
}
