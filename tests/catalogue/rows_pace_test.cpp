// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Slow models, agents that a timer wakes, and repeats that are no loop: a try that gets further, a
// review, a row of thoughts. Beside each stands the loop that looks like it.

using namespace headway::tests::catalogue;
using namespace std::chrono_literals;
using headway::core::Verdict;

namespace {

/// The work of some turns, from which the pace of the model is known.
void work_at(Agent& agent, std::chrono::seconds turn) {
    for (int i = 0; i < 6; ++i)
        agent.passes(turn).does(
            read_file(with("src/part{}.py", i)).result(source_of(with("part{}", i))));
}

bool person_is_needed(const Agent& agent) {
    return agent.state().judgement->needs_somebody;
}

void wakes(Agent& agent) {
    agent.reports("message", R"({"role":"system","text":"/loop 1h","wake_up":true})");
}

void rests(Agent& agent, std::chrono::minutes time) {
    agent.reports("state.changed", R"({"state":"idle"})").passes(time);
}

constexpr std::array<const char*, 8> kSteps{"network", "subnet", "route",  "gateway",
                                            "cluster", "nodes",  "addons", "ingress"};

}  // namespace

TEST_CASE("pace: a slow model that asks the same again and again is stuck, not waiting") {
    const auto turn = GENERATE(5s, 40s, 130s, 200s, 600s);
    const bool knows_its_pace = GENERATE(true, false);
    const Call looks = GENERATE(Call{read_file("a.py").result(source_of("a"))},
                                Call{bash("git status --short").result(" M a.py")},
                                Call{grep("frobnicate").result("No matches found")},
                                Call{call("mcp__pg__query", R"({"sql":"select 1"})").result("[]")});
    Agent agent{Hook::kStarted};
    if (knows_its_pace) work_at(agent, turn);
    for (int i = 0; i < 8; ++i)
        agent.passes(turn).does(looks);
    expect_stuck(agent);
}

TEST_CASE("pace: two looks by turns of a slow model are a cycle") {
    Agent agent{each_hook()};
    for (int i = 0; i < 8; ++i) {
        agent.passes(150s).does(read_file("a.py").result(source_of("a")));
        agent.passes(150s).does(bash("git diff").result("-a\n+b"));
    }
    expect_stuck(agent);
}

TEST_CASE("pace: a pause of several turns before a look is a wait") {
    const auto turn = GENERATE(5s, 20s);
    Agent agent{each_hook()};
    work_at(agent, turn);
    for (int i = 0; i < 10; ++i)
        agent.passes(5min).does(bash("cat report.txt").result("not there yet, come back"));
    expect_waiting(agent);
}

TEST_CASE("pace: a wait of a browser lets time pass, however short, and also if it ends in vain") {
    const bool in_vain = GENERATE(true, false);
    Agent agent{Hook::kStarted};
    for (int i = 0; i < 8; ++i) {
        Call wait =
            call("mcp__playwright__browser_wait_for", R"({"text":"Report","timeout":5000})");
        if (in_vain)
            wait.fails("Timed out after waiting 5000ms");
        else
            wait.result("### Result\nWaited for 5");
        agent.starts(wait).passes(2s).ends(wait);
        agent.does(call("mcp__playwright__browser_snapshot", "{}").result("- img: a spinner"));
    }
    expect_waiting(agent);
}

TEST_CASE("pace: a mailbox that a slow model finds empty is waited for") {
    Agent agent{each_hook()};
    work_at(agent, 60s);
    for (int i = 0; i < 10; ++i)
        agent.passes(60s).does(call("mcp__mail__search", R"({"q":"is:unread"})").result("[]"));
    expect_waiting(agent);
}

TEST_CASE("pace: a command that fails otherwise each time gets further") {
    Agent agent{each_hook()};
    for (const char* step : kSteps) {
        if (agent.state().tool_calls == 4) break;
        agent.does(bash("./install.sh")
                       .fails("Error: creating the " + std::string{step} + ": it is not ready"));
    }
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
    CHECK_FALSE(agent.ever(Verdict::kStuck));
}

TEST_CASE("pace: a failure that differs only in a number or an id is the same one") {
    const std::string says =
        GENERATE("Build #{} failed: missing symbol foo",
                 "deploy failed (request b65{}fc): quota exceeded, ask support",
                 "worker {} exited: out of memory");
    Agent agent{each_hook()};
    for (int i = 0; i < 4; ++i)
        agent.does(bash("./ci.sh").fails(with(says, 1000 + i)));
    expect_stuck(agent);
}

TEST_CASE("pace: a failure that is back makes the row a loop, and an equal one does at once") {
    const bool goes_round = GENERATE(true, false);
    Agent agent{each_hook()};
    for (int i = 0; i < 4; ++i) {
        const std::string step = kSteps[goes_round ? static_cast<std::size_t>(i % 3) : 0];
        agent.does(bash("./install.sh").fails("Error: creating the " + step + " failed"));
    }
    expect_stuck(agent);
}

TEST_CASE("pace: who reviews all files behind a change is no loop, twice without a change is") {
    const auto read_all = [](Agent& agent) {
        for (int i = 1; i < 14; ++i)
            agent.does(read_file(with("f{}.py", i)).result(source_of(with("word{}", i * 7))));
    };
    Agent agent{each_hook()};
    read_all(agent);
    agent.does(edit("f0.py", "x = 1", "x = 2").result("ok").mutates("f0.py", "x = 2"));
    agent.does(bash("pytest -q").result("88 passed"));
    read_all(agent);
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
    read_all(agent);
    CHECK(agent.ever(Verdict::kStuck));
}

TEST_CASE("pace: one sentence at each wake-up is a reminder, several without one are a loop") {
    Agent agent{each_hook()};
    const std::string sentence = "Time to stretch! Stand up and move for two minutes.";
    for (int i = 0; i < 12; ++i) {
        rests(agent, 60min);
        wakes(agent);
        agent.says(sentence);
    }
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
    for (int i = 0; i < 6; ++i)
        agent.says(sentence);
    CHECK(agent.verdict() == Verdict::kStuck);
}

TEST_CASE("pace: what each wake-up finds as it was is a wait, and again in the same beat a loop") {
    const Call looks = GENERATE(Call{bash("python3 inbox.py --unread").result("0 unread")},
                                Call{bash("./check.sh").result("ok")},
                                Call{bash("make test").result("42 passed in 3.2s")});
    Agent agent{each_hook()};
    for (int beat = 0; beat < 12; ++beat) {
        rests(agent, 25min);
        wakes(agent);
        agent.does(looks);
        agent.passes(20s).does(bash("./has_mail.sh").result("no new messages"));
        agent.does(call("ScheduleWakeup", R"({"delaySeconds":1500})").result("Scheduled."));
    }
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
    for (int i = 0; i < 8; ++i)
        agent.does(looks);
    CHECK(agent.ever(Verdict::kStuck));
}

TEST_CASE("pace: a wake-up hides no loop of sleeps behind it") {
    Agent agent{each_hook()};
    agent.does(bash("./check.sh").result("ok"));
    rests(agent, 25min);
    wakes(agent);
    for (int i = 0; i < 12; ++i)
        agent.does(bash("sleep 1")).does(bash("./check.sh").result("ok"));
    expect_stuck(agent);
}

TEST_CASE("pace: pauses after a wake-up are waits as before it") {
    const bool woken = GENERATE(true, false);
    Agent agent{each_hook()};
    work_at(agent, 5s);
    if (woken) {
        rests(agent, 25min);
        wakes(agent);
    }
    for (int i = 0; i < 12; ++i)
        agent.passes(60s).does(call("mcp__queue__receive", "{}").result("[]"));
    expect_waiting(agent);
}

TEST_CASE("pace: wake-ups without a rest between lift nothing") {
    Agent agent{each_hook()};
    for (int i = 0; i < 8; ++i) {
        wakes(agent);
        agent.says("There is nothing that needs your attention right now.");
    }
    expect_stuck(agent);
}

TEST_CASE("pace: who looks each time that a timer wakes it needs no person") {
    Agent agent{Hook::kStarted};
    for (int i = 0; i < 40; ++i) {
        wakes(agent);
        agent.does(bash("gh pr checks 42").result("build\tpending\t0\thttps://x"));
        CHECK_FALSE(person_is_needed(agent));
        rests(agent, 10min);
    }
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("pace: one look that finds nothing behind many that do needs no person") {
    Agent agent{Hook::kFinished};
    const auto waits = [&agent](const Call& look) {
        agent.does(bash("sleep 60").result("")).does(look);
    };
    const Call runs = bash("kubectl get job x").result("x   Running   0/1");
    Call none = bash("cat out.log");
    none.fails("cat: out.log: No such file or directory");
    waits(none);
    for (int i = 0; i < 25; ++i)
        waits(runs);
    waits(none);
    CHECK_FALSE(person_is_needed(agent));
    for (int i = 0; i < 20; ++i)
        waits(none);
    INFO(agent.trace());
    CHECK(person_is_needed(agent));
}

TEST_CASE(
    "pace: a row of new thoughts is thinking, one without an end is not, nor are equal ones") {
    const std::string tool = GENERATE("mcp__think__think", "mcp__st__sequentialthinking");
    const auto thinks = [&tool](Agent& agent, int thought) {
        agent.does(call(tool, R"({"thought":"What of part )" + std::to_string(thought) + "?\"}")
                       .result("Your thought has been logged, go on."));
    };
    Agent agent{each_hook()};
    for (int i = 0; i < 20; ++i)
        thinks(agent, i);
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
    for (int i = 20; i < 40; ++i)
        thinks(agent, i);
    CHECK(agent.ever(Verdict::kStuck));
    Agent again{each_hook()};
    for (int i = 0; i < 6; ++i)
        thinks(again, 1);
    expect_stuck(again);
}

TEST_CASE("pace: bad news in an answer that is ok, the same behind each edit, is suspicious") {
    const auto& [command, news] =
        GENERATE(std::pair{"curl -s localhost:8000/x", R"({"error":"Internal Server Error"})"},
                 std::pair{"python a.py", "result: 41 (expected 42)"},
                 std::pair{"curl -sI https://app.example | head -1", "HTTP/2 500"});
    const bool same_file = GENERATE(true, false);
    Agent agent{each_hook()};
    for (int i = 0; i < 10; ++i) {
        const std::string path = same_file ? "a.py" : with("part{}.py", i);
        agent.does(edit(path, with("v = {}", i), with("v = {}", i + 1))
                       .result("ok")
                       .mutates(path, with("v = {}", i + 1)));
        agent.does(bash(command).result(news));
    }
    INFO(agent.trace());
    CHECK(agent.ever(Verdict::kSuspect) == same_file);
}

TEST_CASE("pace: words about errors in files, and answers without errors, are no bad news") {
    const auto& [command, says] =
        GENERATE(std::pair{"cat errors.py", "class Error(Exception): pass"},
                 std::pair{"grep -n error a.py", "3:error = None  # an error"},
                 std::pair{"python a.py", "done, 0 errors in 12 files"});
    Agent agent{each_hook()};
    for (int i = 0; i < 10; ++i) {
        agent.does(edit("a.py", with("v = {}", i), with("v = {}", i + 1))
                       .result("ok")
                       .mutates("a.py", with("v = {}", i + 1)));
        agent.does(bash(command).result(says));
    }
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("pace: one step back after another is no repeat") {
    Agent agent{each_hook()};
    for (int i = 0; i < 12; ++i)
        agent.does(call("mcp__photoshop__undo", "{}").result("Undone"));
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}
