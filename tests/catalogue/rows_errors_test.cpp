// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Errors, words and repeats that are not the agent's fault (docs/detection.md, section 13).

using namespace headway::tests::catalogue;
using headway::core::Verdict;

TEST_CASE("L14: four probes at once that fail differently are no failure") {
    Agent agent{each_hook()};
    agent.does_at_once({
        bash("podman --version").fails("bash: podman: command not found"),
        bash("ls /opt/toolchain")
            .fails("ls: cannot access '/opt/toolchain': No such file or directory"),
        bash("python3 -c 'import torch'").fails("ModuleNotFoundError: No module named 'torch'"),
        bash("docker info --format json")
            .fails("Cannot connect to the Docker daemon at unix:///var/run/docker.sock."),
    });
    expect_progress(agent);
}

TEST_CASE("L15: eight identical calls in one model turn count once") {
    Agent agent{each_hook()};
    const Call same = grep("TODO").result("src/main.c:14: // TODO: free");
    agent.does_at_once(std::vector<Call>(8, same));
    expect_never_stuck(agent);
}

TEST_CASE("L23: a provider that limits the rate blocks until it answers") {
    Agent agent{each_hook()};
    agent.does(read_file("urls.txt").result(source_of("urls")));
    SECTION("a tool reports it") {
        for (int attempt = 0; attempt < 5; ++attempt) {
            agent.does(call("web_fetch", R"({"url":"https://api.example.com/v1/items"})")
                           .fails("HTTP 429 Too Many Requests, retry after 20 s"));
            if (attempt > 0) expect_blocked(agent);
        }
        agent.does(call("web_fetch", R"({"url":"https://api.example.com/v1/items"})")
                       .result("{\"items\":[4,8,15]}"));
    }
    SECTION("the agent's own model reports it") {
        for (int attempt = 0; attempt < 5; ++attempt) {
            agent.reports(
                "error.reported",
                R"({"message":"rate_limit_error","class":"rate_limit","status":429,"retryable":true})");
            expect_blocked(agent);
        }
        agent.does(read_file("items.json").result(source_of("items")));
    }
    expect_never_stuck(agent);
    CHECK(agent.count(Verdict::kSuspect) == 0);
    CHECK(agent.verdict() == Verdict::kExploring);
}

TEST_CASE(
    "errors: five in a row in words that no table knows block, a few and those between work do "
    "not") {
    Agent agent{each_hook()};
    agent.does(read_file("urls.txt").result(source_of("urls")));
    const auto fails = [&agent](int times) {
        for (int i = 0; i < times; ++i)
            agent.reports("error.reported",
                          R"({"message":"Upstream said something odd, E-77","retryable":true})");
    };
    SECTION("work between them") {
        for (int i = 0; i < 4; ++i) {
            fails(4);
            agent.does(read_file("a" + std::to_string(i)).result(source_of(std::to_string(i))));
        }
        expect_progress(agent);
    }
    SECTION("the model answers between them") {
        for (int i = 0; i < 4; ++i) {
            fails(4);
            agent.says("Now step " + std::to_string(i) + ".");
        }
        CHECK(agent.count(Verdict::kBlocked) == 0);
    }
    SECTION("nothing but them") {
        fails(4);
        CHECK(agent.count(Verdict::kBlocked) == 0);
        fails(1);
        expect_blocked(agent);
        CHECK_THAT(agent.state().judgement->reason,
                   Catch::Contains("Upstream said something odd, E-77"));
        agent.does(read_file("b").result(source_of("b")));
        CHECK(agent.verdict() != Verdict::kBlocked);
    }
    SECTION("notes, and errors of a tool") {
        for (int i = 0; i < 8; ++i)
            agent.reports("error.reported",
                          R"({"message":"the plugin grumbles","tool":"lint","retryable":true})");
        CHECK(agent.count(Verdict::kBlocked) == 0);
    }
    SECTION("a cause that is known says more") {
        fails(3);
        agent.reports("error.reported", R"({"message":"x","class":"rate_limit","status":429})");
        expect_blocked(agent);
        CHECK_THAT(agent.state().judgement->reason, !Catch::Contains("Upstream"));
    }
}

TEST_CASE("L39: a plateau of estimates is ignored while new edits land") {
    Agent agent{each_hook()};
    for (int step = 0; step < 40; ++step) {
        agent.does(
            edit(with("src/part_{}.cpp", step % 9), with("old {}", step), with("new {}", step)));
        agent.does(bash("make test").result(pytest_green(40 + step)));
        if (step % 10 == 5)
            agent.reports("progress.estimated",
                          step < 20 ? R"({"percent":50})" : R"({"percent":51})");
    }
    expect_progress(agent);
}

TEST_CASE("L39: edits alone outweigh a plateau of estimates") {
    Agent agent{Hook::kDigests};
    for (int step = 0; step < 40; ++step) {
        agent.does(edit(with("src/part_{}.cpp", step), with("old {}", step), with("new {}", step)));
        if (step % 10 == 5)
            agent.reports("progress.estimated",
                          step < 20 ? R"({"percent":50})" : R"({"percent":51})");
    }
    expect_progress(agent);
}

TEST_CASE("L40: estimates of zero are ignored while the agent explores") {
    Agent agent{each_hook()};
    for (int file = 0; file < 6; ++file) {
        agent.does(
            read_file(with("src/unit_{}.cpp", file)).result(source_of(with("unit{}", file))));
        if (file % 2 == 1)
            agent.reports("progress.estimated", R"({"percent":0,"reasoning":"still reading"})");
    }
    expect_progress(agent);
    CHECK(agent.verdict() == Verdict::kExploring);
}

TEST_CASE("L41: an error that recurs in the next phase is no streak") {
    Agent agent{each_hook()};
    agent.reports("phase.started", R"({"name":"implementation"})");
    for (int attempt = 1; attempt <= 2; ++attempt) {
        agent.does(edit("src/db.py", "connect()", with("connect(timeout={})", attempt)));
        agent.does(bash("pytest tests/test_db.py").fails(pytest_red(1, 3, "KeyError: 'dsn'")));
    }
    agent.reports("phase.started", R"({"name":"testing"})");
    agent.does(bash("pytest tests/test_db.py").fails(pytest_red(1, 3, "KeyError: 'dsn'")));
    expect_progress(agent);
}

TEST_CASE("L42: equal messages between different results are no repeat") {
    Agent agent{each_hook()};
    for (int file = 0; file < 6; ++file) {
        agent.says("Continuing.");
        agent.does(
            read_file(with("docs/page_{}.md", file)).result(source_of(with("page{}", file))));
    }
    expect_progress(agent);
}

TEST_CASE("L43: three short messages that differ are never stuck") {
    Agent agent{each_hook()};
    agent.says("I will look at the parser first.");
    agent.says("The grammar file is the better start.");
    agent.says("Then the lexer follows.");
    expect_never_stuck(agent);
}

TEST_CASE("L44: a long list or a banner in one message is no chanting") {
    Agent agent{each_hook()};
    SECTION("sixty similar bullets") {
        std::string list = "Files that I migrated:\n\n";
        for (int file = 0; file < 60; ++file)
            list += with("- `src/module_{}.py`: replaced `urllib2` by `urllib.request`\n", file);
        agent.says(list);
    }
    SECTION("a ruler") {
        agent.says("Summary\n" + repeated("-", 400) + "\n" + repeated("- ", 200) +
                   "\nAll modules compile.");
    }
    SECTION("a ruler at the end") {
        agent.says("Summary\nAll modules compile.\n" + repeated("- ", 200) + "\n" +
                   repeated("=", 400));
    }
    SECTION("a table") {
        agent.says("| file | state |\n|---|---|\n" + repeated("| a.py | done |\n", 60));
    }
    agent.does(read_file("README.md").result(source_of("readme")));
    expect_progress(agent);
}

TEST_CASE("L45: words such as installed and stalled in a result are no error") {
    Agent agent{each_hook()};
    for (int run = 0; run < 2; ++run)
        agent.does(bash("./install.sh --cli")
                       .result("CLI installed successfully\n0 errors, previous run stalled: no"));
    expect_progress(agent);
}

TEST_CASE("L46: an agent that follows advice is not suspected again") {
    Agent agent{each_hook()};
    const Call a = bash("ls build").result("CMakeCache.txt\nMakefile");
    const Call b = read_file("CMakeLists.txt").result(source_of("cmake"));
    SECTION("after two repeats without a suspicion") {
        agent.does(a).does(a).does(b).does(a);
        expect_progress(agent);
    }
    SECTION("after advice") {
        agent.does(a).does(a).does(a);
        CHECK(agent.was_told(headway::core::DirectiveKind::kChangeApproach));
        agent.acknowledges();
        const std::size_t suspected = agent.count(Verdict::kSuspect);
        agent.does(b).does(a);
        INFO(agent.trace());
        CHECK(agent.count(Verdict::kSuspect) == suspected);
        CHECK(agent.verdict() == Verdict::kExploring);
    }
}

TEST_CASE("L47: advice of Headway and calls of hooks are no evidence") {
    Agent agent{each_hook()};
    for (int step = 0; step < 12; ++step) {
        agent.does(call("loop_guard", R"({"say":"choose another way"})")
                       .result("You repeat yourself.")
                       .from("hook"));
        agent.reports(
            "message",
            R"({"role":"system","text":"You repeat yourself: choose another way to the goal."})");
        agent.does(
            read_file(with("src/unit_{}.cpp", step)).result(source_of(with("unit{}", step))));
    }
    expect_progress(agent);
}

TEST_CASE("L48: calls that a retried stream replays count once") {
    Agent agent{each_hook()};
    for (int replay = 0; replay < 4; ++replay) {
        agent.does(read_file("a.py").result(source_of("a")).id("toolu_01"));
        agent.does(edit("a.py", "x = 1", "x = 2").id("toolu_02"));
        agent.does(bash("make test").fails(pytest_red(1, 3, "assert 2 == 3")).id("toolu_03"));
    }
    expect_progress(agent);
}
