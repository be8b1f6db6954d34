// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Polls of what has ended, words that ask for nothing new, experiments and games
// (docs/detection.md, sections 4, 5 and 8).

using namespace headway::tests::catalogue;
using headway::core::Verdict;

namespace {

void poll(Agent& agent, int times, std::string_view answer) {
    for (int i = 0; i < times; ++i)
        agent.does(bash("sleep 30 && gh run view 7 --json status,conclusion").result(answer));
}

}  // namespace

TEST_CASE("a poll of what was cancelled needs a person after a few polls") {
    Agent agent{each_hook()};
    poll(agent, 3, "completed cancelled");
    CHECK_FALSE(agent.state().judgement->needs_somebody);
    poll(agent, 7, "completed cancelled");
    CHECK(agent.state().judgement->needs_somebody);
    expect_waiting(agent);
}

TEST_CASE("a poll whose answer only counts failures is an ordinary wait") {
    const char* const answer =
        GENERATE("12 passed, 0 failed, 3 to go", "2 failed, 5 running", "no failure so far");
    Agent agent{each_hook()};
    poll(agent, 30, answer);
    CHECK_FALSE(agent.state().judgement->needs_somebody);
    expect_waiting(agent);
}

TEST_CASE("a poll that finds it started again has not ended") {
    Agent agent{each_hook()};
    poll(agent, 3, "completed failure");
    poll(agent, 2, "in_progress");
    poll(agent, 3, "completed failure");
    CHECK_FALSE(agent.state().judgement->needs_somebody);
}

TEST_CASE(
    "reading one job again and again after it has failed is suspicious, whatever else moves") {
    Agent agent{each_hook()};
    for (int i = 0; i < 16; ++i) {
        agent.does(call("http_get", R"({"url":"http://ci/jobs/7"})")
                       .result("state: FAILED, load " + std::to_string(1000 + 7 * i)));
    }
    CHECK(agent.verdict() == Verdict::kSuspect);
}

TEST_CASE("a question between two sleeps is a wait, also of a tool that is no shell") {
    Agent agent{each_hook()};
    for (int i = 0; i < 30; ++i) {
        agent.does(call("diff_cluster", R"({"app":"shop"})").result(R"({"out_of_sync":[]})"));
        agent.does(bash("sleep 60"));
    }
    expect_never_stuck(agent);
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("a lock that is held between two sleeps is waited for") {
    Agent agent{each_hook()};
    for (int i = 0; i < 20; ++i) {
        agent.does(bash("apt-get install -y jq")
                       .result("E: Could not get lock /var/lib/dpkg/lock-frontend"));
        agent.does(bash("sleep 20"));
    }
    expect_never_stuck(agent);
}

TEST_CASE("a user who only says go on asks for nothing new") {
    Agent agent{each_hook()};
    for (int i = 0; i < 14; ++i) {
        agent.hears(i % 2 == 0 ? "continue" : "go on please");
        agent.does(bash("ls").result("README.md  src"));
    }
    expect_stuck(agent);
}

TEST_CASE("two sides of an experiment that is measured may take turns") {
    Agent agent{each_hook()};
    for (int i = 0; i < 10; ++i) {
        const char* const side = i % 2 == 0 ? "on" : "off";
        agent.does(bash(std::string{"sed -i s/x/"} + side + "/ edge.toml").result(""));
        agent.does(bash("oha -z 30s https://edge.test | grep p95")
                       .result("p95: " + std::to_string(30 + 3 * i) + ".5 ms"));
    }
    expect_never_stuck(agent);
}

TEST_CASE("an answer that comes back after another one is no news") {
    Agent agent{each_hook()};
    for (int i = 0; i < 12; ++i) {
        agent.does(bash("git bisect start HEAD v5").result("2047 revisions left"));
        agent.does(bash("./run_case join").fails("join: FAIL (rows 118, want 120)"));
        agent.does(bash("git bisect bad").result("1023 revisions left"));
        agent.does(bash("./run_case join").fails("join: FAIL (rows 118, want 120)"));
        agent.does(bash("git bisect bad").result("511 revisions left"));
        agent.does(bash("git bisect reset").result("Switched to branch 'main'"));
    }
    expect_stuck(agent);
}

TEST_CASE("an agent that only prints its progress makes none") {
    Agent agent{each_hook()};
    for (int i = 0; i < 60; ++i) {
        const std::string line = "step " + std::to_string(i) + " of the migration is complete";
        agent.does(bash("echo '" + line + "'").result(line));
    }
    CHECK(agent.ever(Verdict::kSuspect));
}

TEST_CASE("who paces up and down in a game is not stuck at once") {
    Agent agent{each_hook()};
    for (int i = 0; i < 6; ++i) {
        agent.does(call("press_button", R"({"button":"LEFT"})").result(R"({"x":7,"y":12})"));
        agent.does(call("press_button", R"({"button":"RIGHT"})").result(R"({"x":8,"y":12})"));
    }
    expect_never_stuck(agent);
}

TEST_CASE("a test that runs green again for a flake takes twice as many") {
    Agent agent{each_hook()};
    for (int i = 0; i < 7; ++i) {
        agent.does(bash("go test ./lease -run TestRenew -count=1")
                       .result("ok  acme/lease 1.0" + std::to_string(10 + i) + "s"));
    }
    expect_never_stuck(agent);
}

TEST_CASE("a user who asks for the same again asks for it") {
    Agent agent{each_hook()};
    for (int i = 0; i < 10; ++i) {
        agent.hears("run the tests");
        agent.does(bash("npm test").result("12 passed"));
    }
    expect_never_stuck(agent);
}

TEST_CASE("an action between two sleeps is no question, whatever its tool is called") {
    Agent agent{each_hook()};
    for (int i = 0; i < 20; ++i) {
        agent.does(bash("sleep 0"));
        agent.does(call("send_mail", R"({"to":"ana"})").result("Message delivered to Ana"));
    }
    expect_stuck(agent);
}

TEST_CASE("two statements that take turns are stuck in the end, though each is acknowledged") {
    Agent agent{each_hook()};
    for (int i = 0; i < 260; ++i) {
        agent.does(bash(std::string{"psql -c 'UPDATE jobs SET state="} + (i % 2 == 0 ? "0'" : "1'"))
                       .result("UPDATE 1000"));
    }
    CHECK(agent.ever(Verdict::kStuck));
}

TEST_CASE("different pages of a file that speaks of failures are reading") {
    Agent agent{each_hook()};
    for (int i = 0; i < 14; ++i) {
        agent.does(call("read_file", R"({"path":"pay.ts","page":)" + std::to_string(i) + "}")
                       .result("if (state === 'failed') step" + std::to_string(i) + "();"));
    }
    expect_never_stuck(agent);
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("a status that fails until all is done, and moves, is a wait") {
    Agent agent{each_hook()};
    for (int i = 0; i < 30; ++i) {
        agent.does(bash("kubectl -n prod rollout status deploy/web --timeout=60s")
                       .fails("Exit code 1\nWaiting: " + std::to_string(i) +
                              " out of 40 replicas\nerror: timed out waiting for the condition"));
        agent.does(bash("kubectl -n prod get pods | tail -2")
                       .result("web-" + std::to_string(i) + "  1/1  Running"));
    }
    expect_never_stuck(agent);
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("a count of zero beside an exit status is an answer") {
    Agent agent{each_hook()};
    for (int i = 0; i < 30; ++i) {
        const std::string ask = "curl -s 'http://x/s?q=" + std::to_string(i) + "' | grep -c result";
        if (i % 6 == 0) agent.does(bash(ask).result("1"));
        if (i % 6 != 0) agent.does(bash(ask).result("0").fails("exit code 1"));
    }
    expect_never_stuck(agent);
}

TEST_CASE("looks at things that move between two red runs with nothing changed hide no loop") {
    Agent agent{each_hook()};
    for (int i = 0; i < 20; ++i) {
        agent.does(bash("free -m").result("Mem: 16000 " + std::to_string(1000 + 37 * i)));
        agent.does(bash("pytest -q")
                       .result("FAILED tests/test_a.py::test_x - assert 3 == 4\n1 failed")
                       .fails("exit code 1"));
    }
    CHECK(agent.ever(Verdict::kStuck));
}
