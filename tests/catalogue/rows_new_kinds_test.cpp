// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <catch2/catch.hpp>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Kinds of work that the first rules were not made with: receipts, waits by the clock, retries,
// people who say that it is still broken, batches, sub-agents that answer by turns, games.

using namespace headway::tests::catalogue;
using headway::core::Verdict;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

Call acts(std::string_view action) {
    return call("step", R"({"action":)" + quoted(action) + "}");
}

bool needs_somebody(const Agent& agent) {
    return agent.state().judgement->needs_somebody;
}

}  // namespace

TEST_CASE("kinds: an edit that is made again is the same edit, also where its file grows") {
    Agent agent;
    for (int i = 0; i < 4; ++i)
        agent.does(
            call("insert_lines", R"({"path":"net.py","line":44,"text":"class Net:\n    pass\n"})")
                .result(with("[File: net.py ({} lines total)]", 149 + 14 * i)));
    expect_stuck(agent);
}

TEST_CASE("kinds: an edit of a line that comes back is no way back to an earlier content") {
    Agent agent;
    for (int i = 0; i < 5; ++i) {
        agent.does(call("edit_lines",
                        R"({"path":"a.py","start_line":9,"text":"soldiers = )" + with("{}\"}", i))
                       .result("[File: a.py (22 lines total)]"));
        agent.does(call("edit_lines", R"({"path":"a.py","start_line":21,"text":""})")
                       .result("[File: a.py (21 lines total)]"));
        agent.does(bash("python validate.py").result(with("score 0.{}", 300 + 7 * i)));
    }
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE(
    "kinds: a sub-agent whose answers differ by a number has found something else each time") {
    const char* answer = "";
    SECTION("files that remain") {
        answer = "{} files remain";
    }
    SECTION("the line of a file") {
        answer = "The bug is at a.py:{}";
    }
    SECTION("the name of a file") {
        answer = "found in module{}.py";
    }
    Agent agent;
    for (int i = 0; i < 6; ++i)
        agent.does(call("Task", R"({"prompt":"Do the next item of TODO.md"})")
                       .result(with(answer, 97 - i)));
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("kinds: an equal move in a game is no edit, and another board each time is news") {
    Agent agent;
    for (int i = 0; i < 6; ++i)
        agent.does(call("mcp__game__move", R"({"dir":"left"})")
                       .result(with("2 4 {} 0\n0 0 8 2\n", 3 * i)));
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("kinds: a receipt that differs by an id or a counter is the same answer") {
    Agent agent;
    SECTION("a sub-agent that is launched again") {
        for (int i = 0; i < 4; ++i)
            agent.does(call("Agent", R"({"prompt":"Fix the build","run_in_background":true})")
                           .result(with("Async agent launched, agentId: a{}f3c9", 71 + i)));
    }
    SECTION("an order") {
        for (int i = 0; i < 4; ++i)
            agent.does(call("create_order", R"({"item":"tea","count":2})")
                           .answers(with(R"({"order":{},"state":"created"})", 4411 + i)));
    }
    SECTION("a comment on a pull request") {
        for (int i = 0; i < 4; ++i)
            agent.does(
                bash("gh pr comment 12 --body ping")
                    .result(with("https://git.example/o/r/pull/12#issuecomment-{}", 991 + i)));
    }
    expect_stuck(agent);
}

TEST_CASE("kinds: a look at a log or a database that shows another number is news") {
    const char* const command =
        GENERATE("tail -1 run.log", "cat progress.txt", "sqlite3 q.db 'select status'");
    const char* const answer = GENERATE("task {} done", "PR #{} merged", "build {}: SUCCESS");
    CAPTURE(command, answer);
    Agent agent;
    for (int i = 0; i < 12; ++i)
        agent.does(bash(command).result(with(answer, 1 + i)));
    expect_progress(agent);
}

TEST_CASE("kinds: progress that a script prints is news") {
    const char* const answer = GENERATE("task {} of 40 done", "task {}/40: completed");
    Agent agent;
    for (int i = 0; i < 12; ++i)
        agent.does(bash("python3 status.py").result(with(answer, 1 + i)));
    expect_progress(agent);
}

TEST_CASE("kinds: a command of OpenHands that goes on without new output is a wait") {
    Agent agent;
    for (int i = 0; i < 12; ++i)
        agent.does(
            call("execute_bash", R"({"command":"","is_input":"true"})")
                .result("[The command has no new output after 30 seconds. You may wait longer to "
                        "see additional output by sending empty command '']"));
    expect_never_stuck(agent);
}

TEST_CASE("kinds: a number that a command computes is news") {
    Agent agent;
    for (int i = 0; i < 8; ++i)
        agent.does(bash("./next-batch").result(with("batch {} loaded", i)));
    expect_progress(agent);
}

TEST_CASE(
    "kinds: a queue that is worked off by one call is work, for as long as it gives something") {
    Agent agent;
    const auto works_off = [&agent](int times) {
        SECTION("by a worker") {
            for (int i = 0; i < times; ++i)
                agent.does(bash("php artisan queue:work --once")
                               .result(with("[2026-11-30 07:00:{}] Processed: App\\Jobs\\Mail",
                                            10 + i % 50)));
        }
        SECTION("by a script") {
            for (int i = 0; i < times; ++i)
                agent.does(bash("python manage.py process_one").result("processed 1 item"));
        }
        SECTION("by a tool") {
            for (int i = 0; i < times; ++i)
                agent.does(call("etl__import_batch", R"({"size":100})")
                               .result(R"({"imported":100,"more":true})"));
        }
        SECTION("while there is more") {
            for (int i = 0; i < times; ++i)
                agent.does(
                    call("sync_contacts", "{}").answers(R"({"synced": 50, "has_more": true})"));
        }
    };
    SECTION("forty times") {
        works_off(40);
        expect_progress(agent);
    }
    SECTION("and never gets empty") {
        works_off(70);
        expect_stuck(agent);
    }
}

TEST_CASE("kinds: a queue that gives nothing more, or the same once more, is no work") {
    Agent agent;
    SECTION("a count of zero") {
        for (int i = 0; i < 5; ++i)
            agent.does(bash("python manage.py process_one").result("processed 0 items"));
    }
    SECTION("a count of zero by a tool") {
        for (int i = 0; i < 5; ++i)
            agent.does(
                call("import_batch", R"({"size":100})").answers(R"({"imported":0,"more":true})"));
    }
    SECTION("one file again and again") {
        for (int i = 0; i < 5; ++i)
            agent.does(call("import_csv", R"({"file":"a.csv"})").answers(R"({"imported":100})"));
    }
    SECTION("one script again and again") {
        for (int i = 0; i < 5; ++i)
            agent.does(bash("python process.py").result("processed 10 items"));
    }
    SECTION("one page of a list that has more") {
        for (int i = 0; i < 5; ++i)
            agent.does(call("list_orders", R"({"page":1})")
                           .answers(R"({"processed":10,"items":["a","b"],"has_more":true})"));
    }
    expect_stuck(agent);
}

TEST_CASE("kinds: a queue that is empty is waited for, however the pause is spelt") {
    Agent agent;
    const Call empty =
        call("receive_messages", R"({"queue":"jobs"})").answers(R"({"messages":[]})");
    const Call polled = call("receive_messages", R"({"queue":"jobs","wait_time_seconds":20})")
                            .answers(R"({"messages":[]})");
    SECTION("by a call of its own") {
        for (int i = 0; i < 12; ++i)
            agent.does(empty).does(call("sleep", R"({"seconds":60})").result(""));
    }
    SECTION("by the clock alone") {
        for (int i = 0; i < 12; ++i) {
            agent.does(empty);
            agent.passes(seconds{40});
        }
        agent.does(empty);
    }
    SECTION("by a long poll") {
        for (int i = 0; i < 12; ++i)
            agent.does(polled);
    }
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
    CHECK_FALSE(agent.ever(Verdict::kStuck));
}

TEST_CASE("kinds: without a pause an empty list that is asked for again is a repeat") {
    Agent agent;
    for (int i = 0; i < 12; ++i)
        agent.does(bash("gh pr list --json number").result("no pull requests are open there"));
    expect_stuck(agent);
}

TEST_CASE("kinds: who waits for what has died needs a person soon") {
    Agent agent;
    for (int i = 0; i < 6; ++i)
        agent.does(bash("sleep 60; tail -3 train.log")
                       .result("Traceback (most recent call last):\n  File \"train.py\", line 3\n"
                               "RuntimeError: device-side assert triggered"));
    INFO(agent.trace());
    CHECK(agent.verdict() == Verdict::kWaiting);
    CHECK(needs_somebody(agent));
}

TEST_CASE("kinds: a server that is started again and never listens needs a person") {
    Agent agent;
    for (int i = 0; i < 16; ++i) {
        agent.does(
            bash("npm run dev").result(with("Command running in background with ID: bash_{}", i)));
        agent.does(bash("sleep 5 && curl -sf localhost:3000")
                       .fails("curl: (7) Failed to connect to localhost port 3000"));
        if (i < 15)
            agent.does(call("KillShell", with(R"({"shell_id":"bash_{}"})", i)).result("killed"));
    }
    INFO(agent.trace());
    CHECK((needs_somebody(agent) || agent.ever(Verdict::kSuspect)));
}

TEST_CASE("kinds: what may pass is tried three times before it is suspicious") {
    const std::string error =
        GENERATE("Internal error", "conflict: version changed, please retry", "device busy");
    Agent agent;
    for (int i = 0; i < 3; ++i)
        agent.does(call("set_temperature", R"({"id":7})").fails(error));
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("kinds: one failing edit that is tried once more is no suspicion") {
    Agent agent;
    for (int i = 0; i < 2; ++i)
        agent.does(edit("a.py", "x = 1", "x = 2").fails("old_string not found"));
    agent.does(read_file("a.py").result("y = 1"));
    expect_progress(agent);
}

TEST_CASE("kinds: different edits that a linter refuses are attempts, equal ones a repeat") {
    Agent agent;
    const auto refused = [](int attempt) {
        return edit("a.py", with("x = {}", attempt), "x = ")
            .fails("Your edit has introduced new syntax error(s).\n- E999 IndentationError");
    };
    SECTION("different") {
        for (int i = 0; i < 5; ++i)
            agent.does(refused(i));
        INFO(agent.trace());
        CHECK_FALSE(agent.ever(Verdict::kSuspect));
    }
    SECTION("equal") {
        for (int i = 0; i < 4; ++i)
            agent.does(refused(1));
        expect_stuck(agent);
    }
}

TEST_CASE("kinds: \"still broken\" is no new task for the failure that outlives it") {
    Agent agent;
    for (int i = 0; i < 6; ++i) {
        agent.hears(i == 0 ? "please fix the header" : "still broken, same error");
        agent.does(edit("ui.js", with("v{}", i), "v"));
        agent.does(bash("npm test").result(pytest_red(1, 8, "renders header")));
    }
    INFO(agent.trace());
    CHECK(agent.ever(Verdict::kSuspect));
}

TEST_CASE("kinds: a reason says what is known about edits since the last change") {
    Agent agent;
    agent.does(read_file("a.py").result("x = 1"));
    for (int i = 0; i < 4; ++i)
        agent.does(call("append_block", R"({"path":"a.py","text":"pass"})").result("ok"));
    INFO(agent.trace());
    REQUIRE(agent.ever(Verdict::kStuck));
    CHECK_THAT(agent.state().judgement->reason, !Catch::Contains("nothing has changed"));
}

TEST_CASE("kinds: two agents that send each other back are suspected") {
    Agent agent;
    for (int i = 0; i < 40; ++i)
        agent.does(call("Task", with(R"({"prompt":"Look at the login bug, take {}"})", i))
                       .result(i % 2 == 0
                                   ? "The plan: ask the coder to inspect auth.ts and report."
                                   : "I need a more detailed plan before I change auth.ts."));
    INFO(agent.trace());
    CHECK(agent.ever(Verdict::kSuspect));
}

TEST_CASE("kinds: a batch over ever new items is suspected at most") {
    Agent agent;
    for (int i = 0; i < 70; ++i)
        agent.does(
            bash(with("dbt run --select orders --vars 'ds: {}'", 20'260'101 + i))
                .result("Completed successfully\nDone. PASS=1 WARN=0 ERROR=0 SKIP=0 TOTAL=1"));
    expect_never_stuck(agent);
}

TEST_CASE("kinds: a step in a game that shows no place may be taken often") {
    Agent agent;
    for (int i = 0; i < 6; ++i)
        agent.does(acts("forward").result("You walk down the stone corridor."));
    expect_progress(agent);
}

TEST_CASE("kinds: who walks into a wall, or goes round and round in a game, is stuck") {
    Agent agent;
    SECTION("a wall") {
        for (int i = 0; i < 4; ++i)
            agent.does(acts("forward").result("a wall 1 step forward\na door 2 steps left"));
    }
    SECTION("a circle of seven views") {
        for (int i = 0; i < 28; ++i)
            agent.does(acts(i % 7 < 4 ? "forward" : "turn left")
                           .result(with("you see tree {} and a path ahead\nnothing else", i % 7)));
    }
    expect_stuck(agent);
}

TEST_CASE("kinds: a wait of a game or a browser lets time pass") {
    Agent agent;
    for (int i = 0; i < 8; ++i)
        agent.does(acts("Wait").result(with("Time passes. It is 0{}:00.", i)));
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("kinds: a parent that beats while its child is at work waits") {
    Agent agent{Hook::kFinished, R"({"profile":"strict"})"};
    agent.children_work(true);
    for (int i = 0; i < 12; ++i)
        agent.beats();
    INFO(agent.trace());
    CHECK(agent.verdict() == Verdict::kWaiting);
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
    agent.children_work(false);
    agent.beats();
    CHECK(agent.verdict() == Verdict::kStuck);
}
