// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <chrono>
#include <utility>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Polls that make progress, and waits for other processes (docs/detection.md, section 13).

using namespace headway::tests::catalogue;
using namespace std::chrono_literals;
using headway::core::Verdict;

TEST_CASE("L01: polling a job whose percentage rises is progress") {
    Agent agent{each_hook()};
    for (int percent = 0; percent < 30; ++percent)
        agent.does(
            job_status(7).answers(with(R"({"job_id":7,"percent":{},"done":false})", percent)));
    expect_progress(agent);
}

TEST_CASE("L01: a rising percentage is progress too when the job calls itself running") {
    Agent agent{each_hook()};
    for (int percent = 0; percent < 30; ++percent)
        agent.does(
            job_status(7).answers(with(R"({"job_id":7,"state":"running","percent":{}})", percent)));
    expect_progress(agent);
}

TEST_CASE("L02: polling a job that says running is waiting, never stuck") {
    Agent agent{each_hook()};
    for (int poll = 0; poll < 12; ++poll) {
        agent.does(job_status(7).answers(R"({"job_id":7,"state":"running"})"));
        expect_waiting(agent);
    }
    agent.does(job_status(7).answers(R"({"job_id":7,"state":"done","exit_code":0})"));
    expect_progress(agent);
}

TEST_CASE(
    "L02: polling a task whose state is working is waiting, and one that has failed is none") {
    for (const char* state :
         {R"({"taskId":"a","status":"working"})", R"({"status":{"state":"working"}})"}) {
        Agent agent{each_hook()};
        for (int poll = 0; poll < 12; ++poll) {
            agent.does(call("get_task", R"({"id":"a"})").answers(state));
            expect_waiting(agent);
        }
    }
    Agent agent{each_hook()};
    for (int poll = 0; poll < 8; ++poll)
        agent.does(
            call("run_job", R"({"id":"a"})").answers(R"({"status":"failed","stage":"training"})"));
    expect_stuck(agent);
}

TEST_CASE("L03: reading the new output of a handle without a cursor is progress") {
    Agent agent{each_hook()};
    for (int chunk = 0; chunk < 50; ++chunk) {
        std::string output;
        for (int line = 0; line < 100; ++line) {
            const int object = chunk * 100 + line;
            output += with("[{}/5000] ", object) + "Building CXX object src/CMakeFiles/core.dir/" +
                      with("unit_{}.cpp.o", object) + "\n";
        }
        agent.does(call("read_output", R"({"handle":"build-1"})").result(output));
    }
    expect_progress(agent);
}

TEST_CASE("L04: sleeping between reads of new output is progress") {
    Agent agent{each_hook()};
    for (int line = 0; line < 20; ++line) {
        agent.does(call("read_output", R"({"handle":"train"})")
                       .result(with("epoch {}/40 ", line) + with("loss 0.9{}1", 99 - line)));
        agent.does(bash("sleep 5"));
    }
    expect_progress(agent);
}

TEST_CASE("L24: polling a terminal session that still runs is waiting") {
    Agent agent{each_hook()};
    agent.does(bash("cmake --build build").result("(session 2 still running)"));
    for (int poll = 0; poll < 10; ++poll)
        agent.does(
            call("write_stdin", R"({"session":2,"input":""})").result("(session 2 still running)"));
    expect_waiting(agent);
}

TEST_CASE("L26: clicking next while the page changes is progress") {
    Agent agent{each_hook()};
    for (int page = 1; page <= 15; ++page) {
        agent.does(call("click", R"({"index":5})")
                       .result(with("Clicked element 5 'Next page'. Page {} of 40: ", page) +
                               with("Order 10{}7, paid", page)));
    }
    expect_progress(agent);
}

TEST_CASE("L28: reporting each change of a status file is progress") {
    Agent agent{each_hook()};
    for (int tick = 0; tick < 8; ++tick) {
        agent.does(read_file("status.txt").result(with("{} of 40 shards copied", tick * 3)));
        agent.does(call("send_message", R"({"channel":"ops","text":"tick"})").result("ok"));
    }
    expect_progress(agent);
}

TEST_CASE("L33: a test run of forty minutes that uses the processor is slow") {
    Agent agent{each_hook()};
    agent.starts(bash("pytest tests/slow"));
    for (int beat = 1; beat <= 480; ++beat) {
        agent.beats(
            with(R"({"in_flight":{"call_id":"call_1","counter":0},"resources":{"cpu_ms":{}}})",
                 beat * 4900));
        if (beat >= 10) CHECK(agent.verdict() == Verdict::kSlow);
    }
    expect_slow(agent);
}

TEST_CASE("L34: a model that thinks for minutes is not suspected, with or without token counts") {
    Agent agent;
    agent.starts(call("model", R"({"model":"o4"})"));
    for (int beat = 1; beat <= 60; ++beat)
        agent.beats(with(R"({"in_flight":{"call_id":"call_1","counter":{}}})", beat * 300));
    expect_idle(agent);
    for (int beat = 1; beat <= 60; ++beat)
        agent.beats(R"({"in_flight":{"call_id":"call_1","counter":18000}})");
    expect_slow(agent);
}

TEST_CASE("L35: an approval pending for an hour is blocked all the time") {
    Agent agent{each_hook()};
    agent.does(read_file("deploy.sh").result(source_of("deploy")));
    agent.reports("state.changed", R"({"state":"awaiting_permission","detail":"run deploy.sh"})");
    for (int beat = 0; beat < 360; ++beat) {
        agent.beats();
        CHECK(agent.verdict() == Verdict::kBlocked);
    }
    expect_blocked(agent);
}

TEST_CASE("L36: a blocked session stays blocked through five minutes of silence") {
    Agent agent{each_hook()};
    agent.does(bash("gh pr create --fill")
                   .fails("HTTP 401: Bad credentials (https://api.github.com/graphql)", "auth"));
    expect_blocked(agent);
    agent.passes(std::chrono::minutes{5});
    expect_blocked(agent);
}

TEST_CASE("L37: a parent that is silent while its child works is waiting") {
    Agent agent{each_hook()};
    agent.does(read_file("plan.md").result(source_of("plan")));
    agent.children_work(true).passes(std::chrono::minutes{20});
    expect_waiting(agent);
}

TEST_CASE("L38: a worker without a task is idle, not stuck") {
    Agent agent{each_hook()};
    agent.does(
        bash("git status")
            .result("On branch fix-117\nYour branch is ahead of 'origin/main' by 1 commit.\n\n"
                    "nothing to commit, working tree clean"));
    agent.reports("state.changed", R"({"state":"idle"})");
    SECTION("and beats") {
        for (int beat = 0; beat < 120; ++beat)
            agent.beats();
    }
    SECTION("and is silent") {
        agent.passes(std::chrono::hours{1});
    }
    expect_idle(agent);
}

TEST_CASE("L49: a scheduled check with the same finding each time is no loop") {
    Agent agent{each_hook()};
    for (int cycle = 0; cycle < 8; ++cycle) {
        agent.hears("[cron] check the inbox and report");
        agent.does(call("read_inbox", R"({"folder":"support"})").result("0 new messages, 14 read"));
        agent.does(
            call("send_report", R"({"channel":"ops","text":"inbox: nothing new"})").result("sent"));
        agent.passes(std::chrono::minutes{30});
    }
    agent.hears("[cron] check the inbox and report");
    agent.does(call("read_inbox", R"({"folder":"support"})").result("0 new messages, 14 read"));
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
    CHECK_FALSE(agent.ever(Verdict::kStuck));
}

TEST_CASE("a question of any kind behind a long sleep is a wait") {
    for (const char* command :
         {"sleep 60; make status", "sleep 60 && ./scripts/export_state.sh",
          "sleep 30; psql -c 'select state from jobs where id=4'",
          "sleep 120; ssh box 'cat /var/run/backup.state'", "sleep 60 && az vm show -n vm1"}) {
        CAPTURE(command);
        Agent agent{each_hook()};
        for (int i = 0; i < 15; ++i)
            agent.does(bash(command).result("phase=copy"));
        expect_waiting(agent);
        CHECK_FALSE(agent.ever(Verdict::kSuspect));
    }
}

TEST_CASE("a test or a failing script behind a long sleep is a loop all the same") {
    for (const char* command : {"sleep 60; pytest -q", "sleep 60; ./deploy.sh"}) {
        CAPTURE(command);
        Agent agent{each_hook()};
        for (int i = 0; i < 15; ++i)
            agent.does(bash(command).fails("assert 1 == 2 in stage two"));
        expect_stuck(agent);
    }
}

TEST_CASE("a command that waits by itself, and runs out of time, is a wait") {
    for (const char* command : {"kubectl wait --for=condition=ready pod/x --timeout=60s",
                                "timeout 300 gh run watch 123", "timeout 60 tail -f job.log"}) {
        CAPTURE(command);
        Agent agent{each_hook()};
        for (int i = 0; i < 12; ++i)
            agent.does(bash(command).fails("timed out waiting for the condition"));
        expect_waiting(agent);
        CHECK_FALSE(agent.ever(Verdict::kSuspect));
    }
}

TEST_CASE("the same state at another address each time is no news") {
    Agent agent{each_hook()};
    for (int i = 0; i < 10; ++i) {
        const std::string url = with(R"({"url":"https://x.example/status?attempt={}"})", i);
        agent.does(call("http_get", url).answers(R"({"state":"queued"})"));
    }
    expect_waiting(agent);
    for (int i = 10; i < 110; ++i) {
        const std::string url = with(R"({"url":"https://x.example/status?attempt={}"})", i);
        agent.does(call("http_get", url).answers(R"({"state":"queued"})"));
    }
    CHECK(agent.state().judgement->needs_somebody);
}

TEST_CASE("a poll that says by its exit status that it goes on is a wait") {
    for (const char* command : {"gh pr checks 12", "gh run view 12 --exit-status"}) {
        CAPTURE(command);
        Agent agent{each_hook()};
        for (int i = 0; i < 12; ++i)
            agent.does(bash(command).fails("build\tpending\t0\thttps://x/1"));
        expect_waiting(agent);
        CHECK_FALSE(agent.ever(Verdict::kSuspect));
    }
}

TEST_CASE("a sleep and another try at a lock, a port or a server of one's own is a wait") {
    const std::pair<const char*, const char*> cases[] = {
        {"sleep 60; terraform apply", "Error: Error acquiring the state lock"},
        {"sleep 20; node server.js", "listen EADDRINUSE: address already in use :::3000"},
        {"sleep 10; curl -sS localhost:8080/health",
         "curl: (7) Failed to connect to localhost port 8080: Connection refused"},
        {"sleep 60; apt-get install -y jq", "E: Could not get lock /var/lib/dpkg/lock-frontend"},
        {"sleep 60; python check_done.py", "job not finished yet"}};
    for (const auto& [command, message] : cases) {
        CAPTURE(command);
        Agent agent{each_hook()};
        for (int i = 0; i < 12; ++i)
            agent.does(bash(command).fails(message));
        expect_waiting(agent);
        CHECK_FALSE(agent.ever(Verdict::kSuspect));
        CHECK_FALSE(agent.ever(Verdict::kBlocked));
    }
}

TEST_CASE("the same without a sleep is no wait") {
    Agent agent{each_hook()};
    for (int i = 0; i < 12; ++i)
        agent.does(bash("node server.js").fails("listen EADDRINUSE: address already in use"));
    expect_stuck(agent);
}

TEST_CASE("pods whose age alone changes do not move") {
    Agent agent{each_hook()};
    for (int i = 0; i < 110; ++i) {
        const std::string age =
            with("NAME    READY   STATUS    AGE\nweb-1   0/1     Pending   3h{}m", i % 60);
        agent.does(bash("sleep 60; kubectl get pods").result(age));
    }
    expect_waiting(agent);
    CHECK(agent.state().judgement->needs_somebody);
}

TEST_CASE("the same failure with another duration each time is a loop") {
    Agent agent{each_hook()};
    for (int i = 0; i < 6; ++i)
        agent.does(bash("./sync.sh").result(with("nothing to sync, checked in 1m{}s", 10 + i)));
    expect_stuck(agent);
}

TEST_CASE("who asks a person again and again waits as long as the calls do") {
    for (const char* tool : {"mcp__headway__ask_human", "wait_agent"}) {
        CAPTURE(tool);
        Agent agent{each_hook()};
        for (int i = 0; i < 40; ++i) {
            Call asks = call(tool, R"({"question":"May I?"})");
            asks.result("No person has answered yet. Ask again to go on waiting.");
            agent.starts(asks).passes(std::chrono::seconds{50}).ends(asks);
        }
        CHECK_FALSE(agent.ever(Verdict::kStuck));
    }
}

TEST_CASE("an agent that looks at an unchanged page behind each wait is waiting") {
    Agent agent{each_hook()};
    const auto [tool, args] = GENERATE(std::pair{"Bash", R"({"command":"sleep 30"})"},
                                       std::pair{"mcp__time__sleep", R"({"seconds":30})"});
    for (int look = 0; look < 9; ++look) {
        agent.does(call(tool, args).result(""));
        agent.does(call("mcp__playwright__browser_snapshot", "{}").result("- page: a spinner"));
    }
    INFO(agent.trace());
    CHECK(agent.verdict() == Verdict::kWaiting);
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("an agent that looks at an unchanged page without a wait is stuck") {
    Agent agent{each_hook()};
    for (int look = 0; look < 9; ++look)
        agent.does(call("mcp__playwright__browser_snapshot", "{}").result("- page: a spinner"));
    CHECK(agent.verdict() == Verdict::kStuck);
}

TEST_CASE("a wait for sub-agents that never move needs a person after a hundred waits") {
    const bool names_them = GENERATE(true, false);
    const auto wait = call("wait", R"({"ids":["a"]})")
                          .answers(names_them ? R"({"a":{"status":"running"}})" : R"("timed out")");
    Agent agent{Hook::kStarted};
    for (int lap = 0; lap < 100; ++lap) {
        CHECK_FALSE(agent.state().judgement->needs_somebody);
        agent.starts(wait).passes(30s).ends(wait);
    }
    agent.starts(wait).passes(30s).ends(wait);
    INFO(agent.trace());
    CHECK(agent.verdict() == Verdict::kWaiting);
    CHECK(agent.state().judgement->needs_somebody);
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("a wait of half a minute whose start is not reported is a wait") {
    Agent agent;
    for (int lap = 0; lap < 40; ++lap)
        agent.reports("tool.finished", R"({"tool":"wait","args":{"ids":["a"]},"duration_ms":30000,
                                           "result":{"a":{"status":"running"}}})");
    INFO(agent.trace());
    CHECK(agent.verdict() == Verdict::kWaiting);
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("a wait that returns at once is suspicious, whatever it says of running") {
    Agent agent;
    for (int lap = 0; lap < 40; ++lap)
        agent.reports("tool.finished", R"({"tool":"wait","args":{"ids":["a"]},"duration_ms":2,
                                           "result":{"a":{"status":"running"}}})");
    INFO(agent.trace());
    CHECK(agent.ever(Verdict::kSuspect));
}
