// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Repeated calls (docs/detection.md, section 13).

using namespace headway::tests::catalogue;

namespace {

const std::string kRed = pytest_red(2, 38, "AssertionError: assert 3 == 4");

}  // namespace

TEST_CASE("S01: the same call with the same result is stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 6; ++i)
        agent.does(read_file("src/main.c").result(source_of("main")));
    expect_stuck(agent);
}

TEST_CASE("S02: the same failing call is stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 5; ++i)
        agent.does(bash("node server.js").fails("Error: Cannot find module 'express'"));
    expect_stuck(agent);
}

TEST_CASE("S03: two alternating calls with the same results are stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 6; ++i) {
        agent.does(read_file("src/main.c").result(source_of("main")));
        agent.does(bash("ls src").result("main.c\nutil.c"));
    }
    expect_stuck(agent);
}

TEST_CASE("S04: a cycle of a read, a failed edit and a failed test is stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 6; ++i) {
        agent.does(read_file("src/calc.py").result(source_of("calc")));
        agent.does(edit("src/calc.py", "return a+b", "return a + b")
                       .fails("old_string not found in src/calc.py"));
        agent.does(bash("make test").fails(kRed));
    }
    expect_stuck(agent);
}

TEST_CASE("S05: a cycle of five calls with the same results is stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 6; ++i) {
        agent.does(bash("ls").result("Makefile\nsrc"));
        agent.does(read_file("Makefile").result("all:\n\tcc -o app src/app.c"));
        agent.does(read_file("src/app.c").result(source_of("app")));
        agent.does(grep("main").result("src/app.c:3: int main(void)"));
        agent.does(bash("git status --short").result(" M src/app.c"));
    }
    expect_stuck(agent);
}

TEST_CASE("S06: a red test run again after every file read is stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 10; ++i) {
        agent.does(bash("make test").fails(kRed));
        agent.does(read_file(with("src/unit_{}.py", i)).result(source_of(with("unit{}", i))));
    }
    expect_stuck(agent);
}

TEST_CASE("S07: the same arguments in another order are the same call") {
    Agent agent{each_hook()};
    for (int i = 0; i < 8; ++i) {
        const char* args = i % 2 == 0 ? R"({"pattern":"init","path":"src","limit":20})"
                                      : R"({"limit":20,"path":"src","pattern":"init"})";
        agent.does(call("search_code", args).result("src/app.c:9: init();"));
    }
    expect_stuck(agent);
}

TEST_CASE("S08: a nonce among the arguments makes no different call") {
    Agent agent{each_hook()};
    for (int i = 0; i < 12; ++i) {
        agent.does(call("search_docs", with(R"({"query":"retry policy","nonce":"{}c41"})", 800 + i))
                       .result("1 hit: docs/retry.md, 'Requests are retried three times.'"));
    }
    expect_stuck(agent);
}

TEST_CASE("S09: process ids and times make no different result") {
    Agent agent{each_hook()};
    for (int i = 0; i < 25; ++i) {
        agent.does(
            bash("npm run check")
                .answers(with(R"({"stdout":"2 problems in src/app.ts","exitCode":1,"pid":{},)",
                              4100 + i * 3) +
                         with(R"("durationMs":{}})", 700 + i * 13)));
    }
    expect_stuck(agent);
}

TEST_CASE("S10: the same message sent again under fresh ids is stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 25; ++i) {
        agent.does(
            call("send_message", R"({"to":"+4369900000","text":"Are you there?"})")
                .answers(with(R"({"status":"delivered","messageId":"wamid.HBg{}",)", 33'000 + i) +
                         with(R"("timestamp":{}})", 1'700'000'000 + i * 40)));
    }
    expect_stuck(agent);
}

TEST_CASE("S17: a command repeated with one more copy of its end is stuck") {
    Agent agent{each_hook()};
    SECTION("it writes") {
        for (int i = 1; i <= 12; ++i)
            agent.does(
                bash("echo start" + repeated(" && cat notes.txt >> all.txt", i)).result("start\n"));
    }
    SECTION("it reads") {
        for (int i = 1; i <= 12; ++i) {
            agent.does(bash("git log --oneline | grep -v merge" + repeated(" | grep -v wip", i))
                           .result("a1f03c1 parser: accept empty input"));
        }
    }
    expect_stuck(agent);
}

TEST_CASE("S18: two alternating pages of a file are stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 8; ++i) {
        const int first = i % 2 == 0 ? 1 : 201;
        agent.does(read_lines("src/engine.cpp", first, first + 199)
                       .result(source_lines("engine", first, first + 199)));
    }
    expect_stuck(agent);
}

TEST_CASE("S24: alternating blocks of two calls are stuck") {
    Agent agent{each_hook()};
    for (int block = 0; block < 6; ++block) {
        for (int i = 0; i < 4; ++i) {
            if (block % 2 == 0) agent.does(read_file("src/main.c").result(source_of("main")));
            if (block % 2 == 1) agent.does(bash("cat src/main.c").result(source_of("main")));
        }
    }
    expect_stuck(agent);
}

TEST_CASE("S25: the same call twice before every new one is stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 6; ++i) {
        for (int twice = 0; twice < 2; ++twice)
            agent.does(bash("cat build.log").result("ld: undefined reference to `crc32'"));
        agent.does(grep(with("crc32_{}", i)).result(with("lib/z_{}.c:4: static int tab;", i)));
    }
    expect_stuck(agent);
}

TEST_CASE("S26: the same call beside another one in every model turn is stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 12; ++i) {
        agent.does_at_once(
            {read_file("TASK.md").result(source_of("task")),
             read_file(with("src/unit_{}.py", i)).result(source_of(with("unit{}", i)))});
    }
    expect_stuck(agent);
}

TEST_CASE("S27: a red test, the same file and another search each time are stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 8; ++i) {
        agent.does(bash("make test").fails(kRed));
        agent.does(read_file("src/calc.py").result(source_of("calc")));
        agent.does(grep(with("assert_{}", i)).result(with("tests/test_{}.py:3: assert", i)));
    }
    expect_stuck(agent);
}

TEST_CASE("S28: a loop goes on through compactions") {
    Agent agent{each_hook()};
    for (int i = 0; i < 15; ++i) {
        agent.does(bash("ls /workspace/out").result("report.md"));
        if (i % 3 == 2)
            agent.reports("compacted",
                          R"({"trigger":"auto","tokens_before":190000,"tokens_after":20000})");
    }
    expect_stuck(agent);
}

TEST_CASE("S29: the same long answer before and after a compaction is the same answer") {
    Agent agent{each_hook()};
    for (int i = 0; i < 7; ++i) {
        agent.does(read_file("src/engine.cpp").result(source_lines("engine", 1, 300)));
        if (i == 2)
            agent.reports("compacted",
                          R"({"trigger":"auto","tokens_before":190000,"tokens_after":20000})");
    }
    expect_stuck(agent);
}

TEST_CASE("S30: the same call once in every message is stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 10; ++i) {
        agent.says(with("Let me check the schema again, attempt {}.", i + 1));
        agent.does(read_file("schema.sql").result(source_of("schema")));
    }
    expect_stuck(agent);
}

TEST_CASE("S47: two alternating monitors without changes are stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 12; ++i) {
        agent.does(
            call("check_runs", R"({"pr":117})").result("3 checks: all completed, 1 failed (lint)"));
        agent.does(
            call("review_comments", R"({"pr":117})").result("2 comments, both open since Tuesday"));
    }
    expect_stuck(agent);
}

TEST_CASE("S48: two agents that revert each other's edits of one file are stuck") {
    const Hook hook = each_hook();
    headway::core::RunFiles files;
    Agent one{hook};
    Agent other{hook};
    one.in_run(files, "one");
    other.in_run(files, "other");
    for (int i = 0; i < 4; ++i) {
        one.does(edit("src/limits.py", "MAX = 100", "MAX = 10"));
        other.does(edit("src/limits.py", "MAX = 10", "MAX = 100"));
    }
    expect_stuck(one);
    expect_stuck(other);
}

TEST_CASE("two agents that extend one file in turns are not suspected") {
    const Hook hook = each_hook();
    headway::core::RunFiles files;
    Agent one{hook};
    Agent other{hook};
    one.in_run(files, "one");
    other.in_run(files, "other");
    for (int i = 0; i < 12; ++i) {
        one.does(edit("src/limits.py", with("A = {}", i), with("A = {}", i + 1)));
        other.does(edit("src/limits.py", with("B = {}", i), with("B = {}", i + 1)));
        if (i % 4 == 3) other.does(edit("src/limits.py", with("B = {}", i + 1), with("B = {}", i)));
    }
    expect_progress(one);
    expect_progress(other);
}
