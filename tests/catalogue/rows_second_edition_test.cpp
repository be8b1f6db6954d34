// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Waits, acknowledgements, failures that say nothing, and activity without effect
// (docs/detection.md, sections 4, 5 and 8).

using namespace headway::tests::catalogue;
using headway::core::Verdict;

namespace {

Call silent_failure(std::string_view command) {
    return bash(command).fails("exit code 1");
}

}  // namespace

TEST_CASE("a refused connection between sleeps is a wait, though the message is an exit status") {
    Agent agent{each_hook()};
    for (int i = 0; i < 20; ++i) {
        agent.does(bash("curl -s https://api.example/x").fails("HTTP/1.1 429 Too Many Requests"));
        agent.does(bash("sleep 30"));
    }
    expect_never_stuck(agent);
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("looking for a file between sleeps is a wait until it appears") {
    Agent agent{each_hook()};
    for (int i = 0; i < 25; ++i) {
        agent.does(bash("ls out/model.bin").fails("ls: cannot access 'out/model.bin'"));
        agent.does(bash("sleep 60"));
    }
    CHECK(agent.verdict() == Verdict::kWaiting);
    agent.does(bash("ls out/model.bin").result("out/model.bin"));
    expect_progress(agent);
}

TEST_CASE("an action that fails between sleeps is no wait") {
    Agent agent{each_hook()};
    for (int i = 0; i < 20; ++i) {
        agent.does(bash("./deploy.sh").fails("stage two failed, giving up"));
        agent.does(bash("sleep 5"));
    }
    expect_stuck(agent);
}

TEST_CASE("a poll of an orchestrator is known by its command") {
    Agent agent{each_hook()};
    for (int i = 0; i < 20; ++i)
        agent.does(bash("kubectl get pods").result("web-1  0/1  ContainerCreating  0"));
    expect_waiting(agent);
}

TEST_CASE("a wait in which nothing moves needs a person after a hundred polls, and is no loop") {
    Agent agent{each_hook()};
    for (int i = 0; i < 99; ++i)
        agent.does(bash("gh run view 1").result("status: in_progress"));
    CHECK(agent.verdict() == Verdict::kWaiting);
    CHECK_FALSE(agent.state().judgement->needs_somebody);
    for (int i = 0; i < 3; ++i)
        agent.does(bash("gh run view 1").result("status: in_progress"));
    CHECK(agent.state().judgement->needs_somebody);
    expect_waiting(agent);
    agent.does(bash("gh run view 1").result("status: completed, success"));
    CHECK_FALSE(agent.state().judgement->needs_somebody);
    expect_progress(agent);
}

TEST_CASE("a wait in which nothing moves needs a person after the patience of the policy") {
    Agent agent{Hook::kFinished, R"({"wait_patience_ms":3600000})"};
    for (int i = 0; i < 7; ++i) {
        agent.does(bash("gh run view 1").result("status: in_progress"));
        if (i < 4) CHECK_FALSE(agent.state().judgement->needs_somebody);
        for (int beat = 0; beat < 60; ++beat)
            agent.passes(std::chrono::seconds{10}).beats();
    }
    agent.does(bash("gh run view 1").result("status: in_progress"));
    CHECK(agent.state().judgement->needs_somebody);
}

TEST_CASE("a script that says pending is no poll, and a loop in the end") {
    Agent agent{each_hook()};
    for (int i = 0; i < 45; ++i)
        agent.does(bash("./migrate.sh").result("migration 7 is pending"));
    expect_stuck(agent);
}

TEST_CASE("a provider that refuses is asked again some dozen times before it is a loop") {
    Agent agent{each_hook()};
    const Call refused = call("http", R"({"url":"https://api/x"})").fails("busy", "rate_limit");
    for (int i = 0; i < 20; ++i)
        agent.does(refused);
    expect_never_stuck(agent);
    for (int i = 0; i < 25; ++i)
        agent.does(refused);
    expect_stuck(agent);
}

TEST_CASE("searches that find nothing and say nothing are answers") {
    Agent agent{each_hook()};
    for (int i = 0; i < 40; ++i)
        agent.does(silent_failure(with("grep -rn symbol_{} src/", i)));
    expect_never_stuck(agent);
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("a guard that says no is asked again before each step") {
    Agent agent{each_hook()};
    for (int i = 0; i < 12; ++i)
        agent.does(silent_failure("test -w /memory && mkdir -p /memory/sessions"));
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
    for (int i = 0; i < 12; ++i)
        agent.does(silent_failure("test -w /memory && mkdir -p /memory/sessions"));
    expect_stuck(agent);
}

TEST_CASE("scrolling is acknowledged and no loop") {
    Agent agent{each_hook()};
    for (int i = 0; i < 40; ++i)
        agent.does(call("scroll", R"({"direction":"down"})").result("ok"));
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("clicking while the screen stays the same is a loop") {
    Agent agent{each_hook()};
    for (int i = 0; i < 6; ++i) {
        agent.does(call("click", R"({"element":"Submit"})").result("Clicked."));
        agent.does(call("screenshot", "{}").result("a form; the button Submit; please correct"));
    }
    expect_stuck(agent);
}

TEST_CASE("a crawl that finds most pages missing is no loop") {
    Agent agent{each_hook()};
    for (int i = 0; i < 20; ++i)
        agent.does(call("fetch", with(R"({"url":"https://x/{}"})", i))
                       .fails("404 Not Found", "not_found"));
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("one failure under ever new names is a loop in the end") {
    Agent agent{each_hook()};
    for (int i = 0; i < 60; ++i)
        agent.does(call("query", with(R"({"sql":"select * from t{}"})", i))
                       .fails(with("relation \"t{}\" does not exist", i)));
    expect_stuck(agent);
}

TEST_CASE("a comment behind a command makes no other command of it") {
    Agent agent{each_hook()};
    for (int i = 0; i < 6; ++i)
        agent.does(bash(with("ls -la src # try {}", i)).result("a.py b.py c.py and more files"));
    expect_stuck(agent);
}

TEST_CASE("a red test with another seed and nothing edited is the same test") {
    Agent agent{each_hook()};
    for (int i = 0; i < 10; ++i)
        agent.does(bash(with("pytest --randomly-seed={}", i)).fails("FAILED test_a\n1 failed"));
    expect_stuck(agent);
}

TEST_CASE("an answer that only quotes the question is one answer") {
    Agent agent{each_hook()};
    for (int i = 0; i < 12; ++i)
        agent.does(call("web_search", with(R"({"q":"topic number {}"})", i))
                       .result(with("No results found for \"topic number {}\". Try again.", i)));
    expect_suspect(agent);
}

TEST_CASE("edits of comments are no progress") {
    Agent agent{each_hook()};
    for (int i = 0; i < 12; ++i) {
        agent.does(call("edit", R"({"path":"a.py","old":")" + with("# {}", i) + R"(","new":")" +
                                    with("# {}", i + 1) + R"("})")
                       .result("ok"));
        agent.does(bash("make test").fails("FAILED test_a\n1 failed, 3 passed"));
    }
    expect_stuck(agent);
}

TEST_CASE("an edit that does not fit is advised against the third time, and stuck the fourth") {
    Agent agent{Hook::kFinished};
    const Call unfit = call("edit", R"({"path":"a.py","old":"x = 1","new":"x = 2"})")
                           .fails("old_string not found in a.py");
    agent.does(unfit).does(unfit);
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
    agent.does(unfit);
    CHECK(agent.verdict() == Verdict::kSuspect);
    agent.does(unfit);
    CHECK(agent.verdict() == Verdict::kStuck);
}

TEST_CASE("an update that is no edit of a file may be tried again") {
    Agent agent{Hook::kFinished};
    const Call refused = call("update_order", R"({"order":"A1","status":"shipped","note":"x"})")
                             .fails("conflict, please retry");
    agent.does(refused).does(refused);
    CHECK(agent.verdict() == Verdict::kExploring);
    agent.does(refused);
    CHECK(agent.verdict() != Verdict::kStuck);
}

TEST_CASE("edits by a text editor whose argument is named command are edits") {
    Agent agent{each_hook()};
    for (int i = 0; i < 12; ++i) {
        agent.does(call("file_editor", with(R"({"command":"str_replace","path":"/w/m{}.py")", i) +
                                           with(R"(,"old_str":"a","new_str":"step {}"})", i))
                       .result("The file has been edited successfully."));
        agent.does(bash("python train.py").fails("Exit code 1: TimeoutError"));
        CHECK(agent.verdict() != Verdict::kStuck);
    }
}

TEST_CASE("a file that version control took back may be edited again") {
    Agent agent{each_hook()};
    for (int i = 0; i < 4; ++i) {
        agent.does(write_file("a.py", "first idea"));
        agent.does(bash(with("make test-{}", i)).fails(with("assert {} == 42", i)));
        agent.does(bash("git checkout a.py").result(with("Updated 1 path, {}", i)));
    }
    CHECK_FALSE(agent.ever(Verdict::kStuck));
}

TEST_CASE("calls in any order that bring known answers only are a loop after ten") {
    Agent agent{each_hook()};
    for (int i = 0; i < 9; ++i)
        agent.does(read_file(with("src/{}.c", i)).result(source_of(with("unit {}", i))));
    const int order[] = {3, 7, 1, 0, 8, 2, 5, 4, 6, 1, 7};
    for (const int i : order)
        agent.does(read_file(with("src/{}.c", i)).result(source_of(with("unit {}", i))));
    expect_stuck(agent);
}

TEST_CASE("rules that are read again between new information are no loop") {
    Agent agent{each_hook()};
    for (int i = 0; i < 60; ++i) {
        agent.does(read_file(with("src/{}.c", i)).result(source_of(with("unit {}", i))));
        if (i % 8 == 0) agent.does(read_file("AGENTS.md").result("Always run the tests twice."));
    }
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("calls that all claim to be of hooks are evidence") {
    Agent agent{each_hook()};
    for (int i = 0; i < 40; ++i)
        agent.does(bash("make test").fails("FAILED test_a").from("hook"));
    expect_stuck(agent);
}

TEST_CASE("words without a call are suspect in the end") {
    Agent agent{Hook::kFinished};
    for (int i = 0; i < 60; ++i)
        agent.reports("fact.learned", with(R"({"text":"fact number {} of many"})", i));
    CHECK(agent.verdict() == Verdict::kSuspect);
    agent.does(bash("make").result("built"));
    CHECK(agent.verdict() != Verdict::kSuspect);
}

TEST_CASE("activity that leaves nothing is suspect, and stuck after twice as long") {
    Agent agent{Hook::kFinished};
    for (int i = 0; i < 30; ++i)
        agent.does(bash(with("touch marker_{}", i)).result(""));
    CHECK(agent.verdict() == Verdict::kSuspect);
    for (int i = 30; i < 60; ++i)
        agent.does(bash(with("touch marker_{}", i)).result(""));
    CHECK(agent.verdict() == Verdict::kStuck);
}

TEST_CASE("the same text after another spoke is no row") {
    Agent agent{Hook::kFinished};
    for (int i = 0; i < 6; ++i) {
        agent.says("Here is the final patch, as it was before.");
        agent.reports("message", R"({"role":"reviewer","text":"one more look"})");
    }
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}
