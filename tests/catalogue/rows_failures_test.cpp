// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <catch2/catch.hpp>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Errors and red tests that do not change (docs/detection.md, section 13).

using namespace headway::tests::catalogue;
using headway::core::DirectiveKind;
using headway::core::Verdict;

TEST_CASE("S11: rewording a forbidden search is blocked or stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 10; ++i) {
        agent.does(call("web_search", with(R"({"query":"boost asio strand example {}"})", i))
                       .fails("Request failed with status code 401: invalid api key"));
    }
    expect_stuck_or_blocked(agent);
}

TEST_CASE("S12: sibling tools failing for one reason are blocked or stuck") {
    Agent agent{each_hook()};
    const std::array<const char*, 3> tools{"browser_navigate", "browser_click", "browser_snapshot"};
    for (int i = 0; i < 9; ++i) {
        agent.does(call(tools[static_cast<std::size_t>(i) % 3], with(R"({"step":{}})", i))
                       .fails("Error: no browser is installed for this profile"));
    }
    expect_stuck_or_blocked(agent);
}

TEST_CASE("S13: an edit that is reverted and repeated while tests flip is stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 6; ++i) {
        const bool forth = i % 2 == 0;
        agent.does(edit("src/round.py", forth ? "math.floor(x)" : "round(x)",
                        forth ? "round(x)" : "math.floor(x)"));
        agent.does(
            bash("make test")
                .fails(pytest_red(
                    1, 39, forth ? "test_negative: assert -2 == -1" : "test_half: assert 2 == 3")));
    }
    expect_stuck(agent);
}

TEST_CASE("S14: one identical error after twelve edits of one file is stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 12; ++i) {
        agent.does(edit("src/parser.py", "tokens = lex(text)", with("tokens = lex_{}(text)", i)));
        agent.does(bash("pytest tests/test_parser.py")
                       .fails(pytest_red(1, 11, "IndexError: list index out of range")));
    }
    expect_stuck(agent);
}

TEST_CASE("S19: an empty call that is rejected repeatedly is stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 6; ++i)
        agent.does(call("write", "{}")
                       .fails("InputValidationError: required parameter `file_path` is missing"));
    expect_stuck(agent);
}

TEST_CASE("S20: a missing tool is blocked or stuck for any arguments") {
    Agent agent{each_hook()};
    for (int i = 0; i < 12; ++i)
        agent.does(call("browser", with(R"({"action":"open","url":"https://example.com/{}"})", i))
                       .fails("Tool not found: browser"));
    expect_stuck_or_blocked(agent);
}

TEST_CASE("S21: a green test run repeatedly with nothing changed is stuck") {
    Agent agent{each_hook()};
    agent.does(edit("src/calc.py", "a - b", "a + b"));
    for (int i = 0; i < 8; ++i)
        agent.does(bash("pytest -q").result(with("40 passed in 0.0{}s", 2 + i % 5)));
    expect_stuck(agent);
}

TEST_CASE("S35: repeating a call that a guard refuses is stuck, and a person is asked") {
    Agent agent{each_hook(), R"({"on_stuck":"ask"})"};
    for (int i = 0; i < 10; ++i) {
        agent.does(
            bash("rm -rf node_modules && npm ci")
                .fails("This call was refused by a guard because it repeats. Try something else."));
    }
    INFO(agent.trace());
    CHECK(agent.was_told(DirectiveKind::kWaitApproval));
    CHECK(agent.ever(headway::core::Verdict::kStuck));
    CHECK(agent.verdict() == headway::core::Verdict::kBlocked);  // until that person answers
}

TEST_CASE("S36: edits of one file that never match are stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 12; ++i) {
        agent.does(
            edit("src/view.tsx", with("<div className=\"row-{}\">", i), "<Row>")
                .fails("Failed to edit, 0 occurrences found for old_string in src/view.tsx"));
    }
    expect_stuck(agent);
}

TEST_CASE("S37: commands that succeed without changing the file are no progress") {
    Agent agent{each_hook()};
    for (int i = 0; i < 12; ++i) {
        agent.does(bash(with("sed -i '{}s/timeout=5/timeout=30/' src/http.py", 40 + i))
                       .mutates("src/http.py", "as it was"));
        agent.does(bash("pytest tests/test_http.py").fails(pytest_red(1, 7, "TimeoutError: 5 s")));
    }
    expect_stuck(agent);
}

TEST_CASE("S43: a new plan that names the same obstacle does not end being blocked") {
    Agent agent{each_hook()};
    agent.does(bash("vault login").fails("Error: permission denied, no token", "auth"));
    expect_blocked(agent);
    for (int i = 0; i < 3; ++i) {
        agent.reports(
            "plan.updated",
            with(R"({"text":"Plan {}: deploy as soon as the vault token is there"})", i + 2));
        agent.reports("progress.estimated", R"({"percent":60,"blockers":["no vault token"]})");
        agent.reports("phase.completed",
                      R"({"name":"deploy","ok":false,"blockers":["no vault token"]})");
        expect_blocked(agent);
    }
    CHECK(agent.count(Verdict::kProgressing) == 0);
}

TEST_CASE("S44: a checker that alternates between two complaints is stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 18; ++i) {
        agent.does(write_file("PLAN.md", with("# Plan, revision {}", i)));
        agent.reports(
            "test.result",
            i % 2 == 0
                ? R"({"command":"plan-checker","passed":9,"failed":1,"failures":["task 3 has no verification"]})"
                : R"({"command":"plan-checker","passed":9,"failed":1,"failures":["task 3 is too large"]})");
    }
    expect_stuck(agent);
}

TEST_CASE("S46: an agent that calls itself done while its verifier fails has failed or is stuck") {
    Agent agent{each_hook()};
    agent.does(edit("src/calc.py", "a - b", "a + b"));
    for (int i = 0; i < 3; ++i) {
        agent.says("All requirements are implemented and every test passes. The task is done.");
        agent.reports(
            "test.result",
            R"({"command":"verify","passed":38,"failed":2,"failures":["test_add","test_sub"]})");
    }
    INFO(agent.trace());
    CHECK((agent.verdict() == Verdict::kStuck || agent.verdict() == Verdict::kFailed));
}

TEST_CASE("a command that goes on where it stopped is retried until it is done") {
    const char* const end = GENERATE("Error: time budget used up at row {}000 of 50000; run again",
                                     "Error: 9{} records remaining; run again");
    Agent agent{each_hook()};
    for (int i = 0; i < 8; ++i)
        agent.does(bash("./import.sh").fails("Exit code 1\n" + with(end, 12 + 3 * i)));
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kStuck));
}

TEST_CASE("the same end of a command with another attempt number is stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 6; ++i)
        agent.does(bash("./import.sh").fails(with("Exit code 1\nno route (try{}/9)", i)));
    INFO(agent.trace());
    CHECK(agent.ever(Verdict::kStuck));
}

TEST_CASE("one red test before does not hide a command that fails behind each edit") {
    Agent agent{each_hook()};
    agent.does(bash("pytest -q").fails("E   assert 1 == 2\n1 failed, 4 passed"));
    for (int i = 0; i < 9; ++i) {
        agent.does(edit("app.conf", with("a = {}", i), with("a = {}", i + 1)))
            .does(bash("systemctl restart app").fails("Job for app.service failed."));
    }
    INFO(agent.trace());
    CHECK(agent.ever(Verdict::kSuspect));
}

TEST_CASE("each job that a queue gives out is news") {
    const char* const take =
        GENERATE("redis-cli LPOP jobs", "psql -Atc 'select id from q limit 1'");
    Agent agent{each_hook()};
    for (int i = 0; i < 12; ++i)
        agent.does(bash(take).result(with("550e8400-e29b-41d4-a716-4466554400{}", 10 + i)));
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kStuck));
}
