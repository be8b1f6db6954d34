// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Work on files and tests that looks repetitive (docs/detection.md, section 13).

using namespace headway::tests::catalogue;
using headway::core::Verdict;

TEST_CASE("L05: edits that bring the failures down one by one are progress") {
    Agent agent{each_hook()};
    for (int failing = 9; failing >= 0; --failing) {
        agent.does(edit("src/parser.py", with("case {}", failing),
                        with("case {}: return token", failing)));
        Call test = bash("make test");
        if (failing > 0)
            test.fails(pytest_red(failing, 40 - failing, with("assert {} == 0", failing)));
        if (failing == 0) test.result(pytest_green(40));
        agent.does(test);
    }
    expect_progress(agent);
}

TEST_CASE("L06: four failed approaches to one error before a working fifth are never stuck") {
    Agent agent{each_hook()};
    for (int approach = 1; approach <= 5; ++approach) {
        agent.does(
            edit("src/parser.py", "tokens = lex(text)", with("tokens = lex_{}(text)", approach)));
        Call test = bash("pytest tests/test_parser.py");
        if (approach < 5) test.fails(pytest_red(1, 11, "IndexError: list index out of range"));
        if (approach == 5) test.result(pytest_green(12));
        agent.does(test);
    }
    expect_never_stuck(agent);
    CHECK(agent.verdict() == headway::core::Verdict::kProgressing);
}

TEST_CASE("L07: the same replacement in twenty files is progress") {
    Agent agent{each_hook()};
    for (int file = 0; file < 20; ++file)
        agent.does(edit(with("src/module_{}.py", file), "import urllib2", "import urllib.request")
                       .result("ok"));
    expect_progress(agent);
}

TEST_CASE("L08: reading sixty files is exploring") {
    Agent agent{each_hook()};
    for (int file = 0; file < 60; ++file)
        agent.does(
            read_file(with("src/unit_{}.cpp", file)).result(source_of(with("unit{}", file))));
    expect_progress(agent);
}

TEST_CASE("L09: searching, moving and editing fifteen files is progress") {
    Agent agent{each_hook()};
    for (int file = 0; file < 15; ++file) {
        agent.does(
            grep(with("Widget{}", file)).result(with("src/widget_{}.cpp:12: class Widget", file)));
        agent.does(
            bash(with("git mv src/widget_{}.cpp src/ui/", file) + with("widget_{}.cpp", file)));
        agent.does(edit(with("src/ui/widget_{}.cpp", file), "#include \"widget.h\"",
                        "#include \"ui/widget.h\""));
    }
    expect_progress(agent);
}

TEST_CASE("L10: alternating reads and edits of a growing file are progress") {
    Agent agent{each_hook()};
    for (int step = 0; step < 8; ++step) {
        agent.does(read_file("src/app.ts").result(source_lines("app", 1, 10 + step)));
        agent.does(
            edit("src/app.ts", with("// step {}", step), with("handlers.push(step{});", step)));
    }
    expect_progress(agent);
}

TEST_CASE("L11: reading a file again after other edits or a compaction is progress") {
    Agent agent{each_hook()};
    agent.does(read_file("src/api.h").result(source_of("api")));
    SECTION("other edits lie between") {
        for (int file = 0; file < 2; ++file) {
            agent.does(edit(with("src/client_{}.cpp", file), "call()", "call(options)"));
            agent.does(read_file("src/api.h").result(source_of("api")));
        }
    }
    SECTION("compactions lie between") {
        for (int round = 0; round < 2; ++round) {
            agent.does(
                grep(with("call_{}", round)).result(with("src/client_{}.cpp:8: call()", round)));
            agent.reports("compacted",
                          R"({"trigger":"auto","tokens_before":180000,"tokens_after":21000})");
            agent.does(read_file("src/api.h").result(source_of("api")));
        }
    }
    expect_progress(agent);
}

TEST_CASE("reading the same ten files for another question of the user is progress") {
    Agent agent{each_hook()};
    for (int question = 0; question < 3; ++question) {
        agent.reports("message",
                      with(R"({"role":"user","text":"How does part {} work?"})", question));
        for (int file = 0; file < 12; ++file)
            agent.does(
                read_file(with("src/part_{}.py", file)).result(source_of(with("p{}", file))));
    }
    expect_progress(agent);
}

TEST_CASE("reading the same ten files twice for one question of the user is stuck") {
    Agent agent{each_hook()};
    agent.reports("message", R"({"role":"user","text":"How does it work?"})");
    for (int lap = 0; lap < 2; ++lap)
        for (int file = 0; file < 12; ++file)
            agent.does(
                read_file(with("src/part_{}.py", file)).result(source_of(with("p{}", file))));
    CHECK(agent.verdict() == Verdict::kStuck);
}

TEST_CASE("L12: seven lookups that find nothing are exploring") {
    Agent agent{each_hook()};
    for (int name = 1; name <= 7; ++name)
        agent.does(call("lookup", with(R"({"name":"customer-{}"})", name)).answers("[]"));
    expect_progress(agent);
}

TEST_CASE("L13: attaching eight files is progress") {
    Agent agent{each_hook()};
    for (int file = 1; file <= 8; ++file)
        agent.does(
            call("attach_file", with(R"({"path":"out/report_{}.pdf"})", file)).answers("true"));
    expect_progress(agent);
}

TEST_CASE("L16: paging through a file is exploring") {
    Agent agent{each_hook()};
    for (int page = 0; page < 12; ++page) {
        const int first = page * 40 + 1;
        agent.does(read_lines("src/engine.cpp", first, first + 39)
                       .result(source_lines("engine", first, first + 39)));
    }
    expect_progress(agent);
}

TEST_CASE("L17: a thousand different commands that each yield something are progress") {
    Agent agent{each_hook()};
    for (int sample = 0; sample < 250; ++sample) {
        agent.does(bash(with("fastqc reads/s{}_R1.fastq.gz -o qc", sample))
                       .result(with("Analysis complete for s{}_R1.fastq.gz", sample)));
        agent.does(
            bash(with("salmon quant -i index -l A -1 reads/s{}_R1.fastq.gz", sample) +
                 with(" -o quant/s{}", sample))
                .result(with("[info] mapping rate = 9{}", sample % 10) + with(".{}1%", sample)));
        agent.does(bash(with("samtools view -c bam/s{}.bam", sample))
                       .result(with("{}", 20'000'000 + sample * 7919)));
        agent.does(bash(with("head -2 quant/s{}/quant.sf", sample))
                       .result(with("Name\tLength\nENST{}\t1657", 456'000 + sample)));
    }
    expect_progress(agent);
}

TEST_CASE("L18: a value that is edited step by step is progress") {
    Agent agent{each_hook()};
    for (int value = 1; value < 5; ++value)
        agent.does(edit("settings.py", with("RETRIES = {}", value), with("RETRIES = {}", value + 1))
                       .result("ok"));
    expect_progress(agent);
}

TEST_CASE("L19: five deletions in one file are progress") {
    Agent agent{each_hook()};
    for (int part = 1; part <= 5; ++part) {
        agent.does(edit("src/legacy.c", with("void legacy_{}(void) {}", part), "")
                       .mutates("src/legacy.c", with("without the first {}", part)));
    }
    expect_progress(agent);
}

TEST_CASE("L20: a clean status after each commit is progress") {
    Agent agent{each_hook()};
    for (int file = 0; file < 8; ++file) {
        agent.does(edit(with("src/f{}.go", file), "ioutil.ReadAll", "io.ReadAll"));
        agent.does(
            bash(with("git commit -am 'f{}: use io.ReadAll'", file))
                .result(
                    with("[main 3f{}a1c] use io.ReadAll\n 1 file changed, 1 insertion(+)", file)));
        agent.does(
            bash("git status").result("On branch main\nnothing to commit, working tree clean"));
    }
    expect_progress(agent);
}

TEST_CASE("L21: a build that passes after every edit is progress") {
    Agent agent{each_hook()};
    for (int file = 0; file < 8; ++file) {
        agent.does(edit(with("src/m{}.rs", file), "unwrap()", "context(\"reading\")?"));
        agent.does(bash("cargo build")
                       .result(with("   Compiling app v0.1.0\n    Finished `dev` profile in 3.{}1s",
                                    file)));
    }
    expect_progress(agent);
}

TEST_CASE("L22: running a flaky test repeatedly is progress") {
    Agent agent{each_hook()};
    for (const bool green : {true, false, true, true, false, false, true, false}) {
        Call test = bash("pytest tests/test_sync.py -k retry");
        if (green) test.result(pytest_green(1));
        if (!green) test.fails(pytest_red(1, 0, "AssertionError: expected 3 events, got 2"));
        agent.does(test);
    }
    expect_progress(agent);
}

TEST_CASE("L25: repeating a benchmark is progress") {
    Agent agent{each_hook()};
    for (int run = 0; run < 10; ++run)
        agent.does(
            bash("./bench --filter=parse")
                .result(with("BM_Parse/1024   15{}2 ns   ", run) + with("15{}0 ns   457813", run)));
    expect_progress(agent);
}

TEST_CASE("L27: edit, format and test with one failure less each time is progress") {
    Agent agent{each_hook()};
    for (int failing = 8; failing >= 1; --failing) {
        agent.does(
            edit("pkg/codec.go", with("// TODO {}", failing), with("return decode{}(b)", failing)));
        agent.does(bash("gofmt -w pkg"));
        agent.does(bash("go test ./...")
                       .fails(with("--- FAIL: TestDecode{}\n", failing) +
                              with("{} failed, 30 passed\nFAIL", failing)));
    }
    expect_progress(agent);
}

TEST_CASE("L29: reading an input and writing its output ten times is progress") {
    Agent agent{each_hook()};
    for (int file = 0; file < 10; ++file) {
        agent.does(read_file(with("in/doc_{}.md", file)).result(source_of(with("doc{}", file))));
        agent.does(write_file(with("out/doc_{}.html", file), with("<h1>Doc {}</h1>", file)));
    }
    expect_progress(agent);
}

TEST_CASE("L30: forty different calls are progress") {
    Agent agent{each_hook()};
    for (int step = 0; step < 8; ++step) {
        agent.does(
            grep(with("handler_{}", step)).result(with("src/routes.ts:{}: handler", step * 11)));
        agent.does(
            read_file(with("src/handler_{}.ts", step)).result(source_of(with("handler{}", step))));
        agent.does(edit(with("src/handler_{}.ts", step), "any", with("Request{}", step)));
        agent.does(bash(with("npx tsc --noEmit src/handler_{}.ts", step)));
        agent.does(bash(with("git log -1 --format=%h src/handler_{}.ts", step))
                       .result(with("a{}f03c1", step)));
    }
    expect_progress(agent);
}

TEST_CASE("L31: an empty diff after each new file is progress") {
    Agent agent{each_hook()};
    for (int file = 0; file < 6; ++file) {
        agent.does(write_file(with("out/o{}.txt", file), with("part {}", file)));
        agent.does(bash("git diff --stat"));
    }
    expect_progress(agent);
}

TEST_CASE("L32: replying to six threads is progress") {
    Agent agent{each_hook()};
    for (int thread = 1; thread <= 6; ++thread)
        agent.does(call("reply", with(R"({"thread":"PRRT_{}","text":"Done, thank you."})", thread))
                       .result("ok"));
    expect_progress(agent);
}

TEST_CASE("L50: reading twice before using a result is progress") {
    Agent agent{each_hook()};
    agent.does(read_file("schema.sql").result(source_of("schema")));
    agent.does(read_file("schema.sql").result(source_of("schema")));
    agent.does(write_file("models.py", "class Order: pass"));
    expect_progress(agent);
}
