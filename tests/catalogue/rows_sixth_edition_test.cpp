// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <catch2/catch.hpp>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Errors whose place moves, tools whose names have a word with two meanings, and words of waiting
// in answers that report no state.

using namespace headway::tests::catalogue;
using headway::core::Verdict;

namespace {

struct Error {
    const char* command;
    const char* text;  ///< `{}` is the line
};

// Compilers and tests, then programs that are none.
constexpr Error kErrors[] = {
    {"npx tsc --noEmit", "src/a.ts({},5): error TS2322: Type 'string' is not assignable."},
    {"npx eslint a.js", "/p/a.js\n  {}:5  error  'x' is not defined  no-undef\n\n✖ 1 problem"},
    {"cargo build", "error[E0308]: mismatched types\n --> src/a.rs:{}:5\n  |\n{} |  x\n  |  ^ i32"},
    {"go build ./...", "# x/a\n./a.go:{}:5: undefined: foo"},
    {"pytest -q", "E  assert 1 == 2\n\ntests/test_a.py:{}: AssertionError\n1 failed in 0.02s"},
};
constexpr Error kPrograms[] = {
    {"python a.py", "Traceback:\n  File \"/p/a.py\", line {}, in f\nTypeError: f() got no x"},
    {"psql -f a.sql", "psql:a.sql:{}: ERROR:  relation \"t\" does not exist"},
    {"bash a.sh", "a.sh: line {}: syntax error near unexpected token `fi'"},
};

/// Twenty edits of one file, each with the same error behind it, a line further down.
Agent edits_above(const Error& error) {
    Agent agent;
    for (int i = 0; i < 20; ++i)
        agent.does(edit("src/a", with("v{};", i), with("v{};", i + 1)))
            .does(bash(error.command).fails(with(error.text, 12 + i)));
    return agent;
}

}  // namespace

TEST_CASE("moved lines: an error that each edit moves is the same error") {
    for (const Error& error : kErrors) {
        CAPTURE(error.command);
        expect_stuck(edits_above(error));
    }
    for (const Error& error : kPrograms) {
        CAPTURE(error.command);
        expect_suspect(edits_above(error));
    }
}

TEST_CASE("moved lines: another error at another line is news") {
    Agent agent;
    for (int i = 0; i < 20; ++i)
        agent.does(edit("src/a.ts", with("v{};", i), with("v{};", i + 1)))
            .does(bash("npx tsc --noEmit")
                      .fails(with("src/a.ts({},5): error TS2304: Cannot find name 'x{}'.", i)));
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("two meanings: a tool that moves a record is judged as any other") {
    const char* const calls[][3] = {
        {"mcp__trello__move_card", R"({"card":"c1","list":"done"})", "ok"},
        {"mcp__bank__move_money", R"({"from":"a","to":"b","amount":10})", "Transfer accepted"},
        {"mcp__ci__run_action", R"({"name":"deploy"})", R"({"success":true})"},
        {"mcp__ansible__play", R"({"playbook":"site.yml"})", "completed"},
        {"mcp__zendesk__update_ticket_status", R"({"ticket":1,"status":"solved"})", "ok"},
        {"mcp__datadog__create_monitor", R"({"name":"m"})", "Monitor created"},
        {"mcp__plc__set_output", R"({"pin":1,"value":1})", "OK"},
    };
    for (const auto& [tool, args, answer] : calls) {
        CAPTURE(tool);
        Agent agent;
        for (int i = 0; i < 6; ++i)
            agent.does(call(tool, args).result(answer));
        expect_stuck(agent);
    }
}

TEST_CASE("two meanings: steps in a world are steps") {
    const char* const calls[][3] = {
        {"mcp__game__move", R"({"dir":"left"})", "moved"},
        {"step", R"({"action":"forward"})", "done"},
        {"mcp__cu__key", R"({"key":"Tab"})", "pressed"},
        {"mcp__drone__move_forward", R"({"m":1})", "ok"},
        {"mcp__chess__move", R"({"san":"e4"})", "ok"},
        {"move_piece", R"({"from":"e2","to":"e4"})", "ok"},
    };
    for (const auto& [tool, args, answer] : calls) {
        CAPTURE(tool);
        Agent agent;
        for (int i = 0; i < 12; ++i)
            agent.does(call(tool, args).result(answer));
        INFO(agent.trace());
        CHECK_FALSE(agent.ever(Verdict::kSuspect));
    }
}

TEST_CASE("two meanings: ever other records are work, and a status that is asked for is a poll") {
    Agent agent;
    for (int i = 0; i < 45; ++i)
        agent.does(call("mcp__zendesk__update_ticket_status",
                        with(R"({"ticket":{},"status":"solved"})", i))
                       .result("ok"));
    expect_progress(agent);

    for (const char* const tool : {"get_update_status", "wait_for_update", "job_status"}) {
        CAPTURE(tool);
        Agent polls;
        for (int i = 0; i < 12; ++i)
            polls.does(call(tool, R"({"id":5})").answers(R"({"status":"running"})"));
        expect_waiting(polls);
    }
}

TEST_CASE("words of waiting: a call that says what it does is no poll") {
    const Call calls[] = {
        bash("python app.py").result("Processing... nothing done"),
        bash("python app.py").result("Running checks\nnothing to check"),
        bash("cat src/state.py").result(R"(STATES = ["pending", "running", "done"])"),
        call("Read", R"({"file_path":"/p/a.txt"})").result("queue\nstate: waiting for a person"),
        call("Grep", R"({"pattern":"pending"})").result("src/a.py:3:status = \"pending\""),
        call("mcp__pg__query", R"({"sql":"select status from orders limit 1"})")
            .result(R"([{"status":"pending"}])"),
    };
    for (const Call& one : calls) {
        Agent agent;
        for (int i = 0; i < 6; ++i)
            agent.does(one);
        expect_stuck(agent);
    }
}

TEST_CASE("words of waiting: ever other files with one answer of such words are work") {
    for (const char* const answer : {"Processing... done", "Starting import\nImport complete",
                                     "Running checks\nAll checks OK"}) {
        CAPTURE(answer);
        Agent agent;
        for (int i = 0; i < 45; ++i)
            agent.does(bash(with("python import.py --file data/f{}.csv", i)).result(answer));
        expect_progress(agent);
    }
}

TEST_CASE("words of waiting: the state of what was asked for is waited for") {
    const Call calls[] = {
        call("get_job", R"({"id":5})").answers(R"({"status":"running"})"),
        call("check_order", R"({"id":5})").result("Order 5: processing"),
        bash("./job.sh 7").result("job 7 is still running"),
        call("mcp__pg__query", R"({"sql":"select status from jobs where id = 5"})")
            .result(R"([{"status":"running"}])"),
        bash("sleep 30; cat job.state").result("state: running, 3 of 5 done"),
    };
    for (const Call& one : calls) {
        Agent agent;
        for (int i = 0; i < 12; ++i)
            agent.does(one);
        expect_waiting(agent);
    }
}
