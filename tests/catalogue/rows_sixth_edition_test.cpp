// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <catch2/catch.hpp>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Errors whose place moves, tools whose names have a word with two meanings, and words of waiting
// in answers that report no state, edits that fail,
// and answers that are a time or an address.

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
        expect_stuck(edits_above(error));
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

TEST_CASE("moved lines: errors that get fewer are progress, also where all are the same") {
    Agent agent;
    for (int i = 0; i < 20; ++i) {
        std::string errors;
        for (int line = i; line < 20; ++line)
            errors += with("src/a.ts({},5): error TS2322: no\n", 9 * line + 12);
        agent.does(edit("src/a.ts", with("v{};", i), with("v{};", i + 1)))
            .does(bash("npx tsc --noEmit").fails("Exit code 2\n" + errors));
    }
    expect_progress(agent);
}

TEST_CASE("moved lines: a line of the data is no place") {
    Agent agent;
    for (int i = 0; i < 20; ++i)
        agent.does(edit("data.csv", with("v{};", i), with("v{};", i + 1)))
            .does(bash("python import.py").fails(with("Error: bad date on line {}", 10 * i + 7)));
    expect_progress(agent);
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
        {"mcp__cnc__step", R"({"axis":"x","mm":1})", "ok"},
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
        bash("cat /tmp/job.state").result("RUNNING"),
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

TEST_CASE("failed edits: ever other texts that one file does not have are tries at one target") {
    for (const char* const words :
         {"String to replace not found in file.", "oldString not found in content"}) {
        CAPTURE(words);
        Agent agent;
        for (int i = 0; i < 18; ++i)
            agent.does(grep(with("def g{}", i)).result(with("a.py:{}:def g", i)))
                .does(edit("/p/a.py", with("def g{}():", i), with("def h{}():", i)).fails(words));
        expect_stuck(agent);
    }
}

TEST_CASE("failed edits: files that are not there are ever other targets") {
    Agent agent;
    for (int i = 0; i < 12; ++i)
        agent.does(edit(with("/p/a{}.py", i), "a", "b").fails("File not found."));
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kStuck));
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("ends: a count of nothing that failed is no end") {
    const char* const answers[] = {R"({"done":{},"failed":0,"lost":0})", "done={} failed=0",
                                   "Done: {}, Failures: 0, cancelled: 0"};
    for (const char* const answer : answers) {
        CAPTURE(answer);
        Agent agent;
        for (int i = 0; i < 30; ++i)
            agent.does(bash("sleep 30; curl -s localhost:8080/stats").result(with(answer, 5 * i)));
        INFO(agent.trace());
        CHECK_FALSE(agent.ever(Verdict::kSuspect));
    }
}

TEST_CASE("ends: what failed is an end, also beside a count of nothing") {
    for (const char* const answer : {"job 7: failed\nretries: 0",
                                     "NAME   READY   STATUS         RESTARTS\nweb    0/1     "
                                     "ErrImagePull   0"}) {
        CAPTURE(answer);
        Agent agent;
        for (int i = 0; i < 30; ++i)
            agent.does(bash("sleep 30; ./job.sh status 7").result(answer));
        INFO(agent.trace());
        CHECK(agent.state().judgement->needs_somebody);
    }
}

TEST_CASE("bare values: a time or an address that was asked for is the answer") {
    const char* const calls[][3] = {
        {"mcp__gdb__command", R"({"command":"stepi"})", "0x4010{} in main ()"},
        {"mcp__sub__next", "{}", "00:{}:07,000 --> 00:{}:07,900"},
        {"mcp__player__position", "{}", "00:{}:20"},
        {"mcp__crm__next_customer", "{}", R"({"id":"550e8400-e29b-41d4-a716-4466554400{}"})"},
        {"mcp__cal__next_free_slot", R"({"minutes":60})", "2026-12-{}T10:00:00Z"},
    };
    for (const auto& [tool, args, answer] : calls) {
        CAPTURE(tool);
        Agent agent;
        for (int i = 0; i < 16; ++i)
            agent.does(call(tool, args).result(with(answer, 10 + i)));
        expect_progress(agent);
    }
}

TEST_CASE("bare values: what a clock says, and the same value, are a loop") {
    const char* const calls[][3] = {
        {"mcp__x__get_time", "{}", "2026-12-07T10:{}:00Z"},
        {"mcp__x__state", "{}", R"({"at":"now","updated":"10:{}:07"})"},
        {"mcp__x__create_ticket", "{}", "550e8400-e29b-41d4-a716-4466554400{}"},
        {"mcp__player__position", "{}", "00:01:20"},
    };
    for (const auto& [tool, args, answer] : calls) {
        CAPTURE(tool);
        Agent agent;
        for (int i = 0; i < 8; ++i)
            agent.does(call(tool, args).result(with(answer, 10 + i)));
        expect_stuck(agent);
    }
}
