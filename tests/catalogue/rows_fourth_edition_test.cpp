// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <catch2/catch.hpp>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Laps in which something moves, waits without an end, and answers that differ in their order or
// by a name only.

using namespace headway::tests::catalogue;
using headway::core::Verdict;

namespace {

constexpr const char* kRefused = "ssh: connect to host stor-07 port 22: Connection refused";

bool wants_somebody(const Agent& agent) {
    return agent.state().judgement->needs_somebody;
}

Call search(std::string_view words, std::string hits) {
    return call("web_search", R"({"query":")" + std::string{words} + "\"}")
        .answers(std::move(hits));
}

}  // namespace

TEST_CASE("the same drill again and again is work while what it waits for moves each time") {
    Agent agent{each_hook()};
    for (int lap = 1; lap <= 12; ++lap) {
        agent.does(bash("kubectl -n bus delete pod bus-0 --now").result("pod \"bus-0\" deleted"));
        for (int look = 0; look <= lap % 3; ++look)
            agent.does(bash("sleep 10; kubectl -n bus get pod bus-0").result("bus-0 0/1 Running"));
        agent.does(bash("sleep 10; kubectl -n bus get pod bus-0").result("bus-0 1/1 Running"))
            .does(bash("./count_lost.sh").result("lost 0 of 50000 messages"));
    }
    expect_never_stuck(agent);
}

TEST_CASE("one red result for each of many mutants is no loop") {
    Agent agent{each_hook()};
    for (int id = 0; id < 24; ++id) {
        agent
            .does(bash(with("python mut.py apply src/clamp.c --id {}", id))
                      .result(with("mutant {}: < -> <=", id)))
            .does(bash("make -s test").fails("Exit code 2\nFAILED: 1 of 40 checks"))
            .does(bash("python mut.py restore src/clamp.c").result("restored"));
    }
    expect_never_stuck(agent);
}

TEST_CASE("many files that fail one check alike are a batch, however long") {
    Agent agent{each_hook()};
    for (int file = 0; file < 24; ++file)
        agent.does(bash(with("npx eslint src/view_{}.js 2>&1 | tail -n 5", file))
                       .fails("Exit code 1\n  error  'module' is not defined  no-undef"));
    expect_never_stuck(agent);
}

TEST_CASE("one file that fails a check alike under ever other flags is a loop") {
    Agent agent{each_hook()};
    for (int run = 0; run < 10; ++run)
        agent.does(
            bash(with("python -m pytest tests/test_io.py -p no:cacheprovider -k 'open and not x{}'"
                      " > /tmp/out_{}.txt 2>&1; tail -n 3 /tmp/out_{}.txt",
                      run))
                .fails("Exit code 1\nE   ModuleNotFoundError: No module named 'orjson'"));
    INFO(agent.trace());
    CHECK(agent.ever(Verdict::kStuck));
}

TEST_CASE("advice that is acknowledged again and again resets the counts once") {
    Agent agent{Hook::kFinished};
    const auto test = bash("make test").fails("Exit code 2\nFAILED: 1 of 40 checks");
    for (int i = 0; i < 6 && agent.state().directives.empty(); ++i)
        agent.does(test);
    REQUIRE_FALSE(agent.state().directives.empty());
    const std::string taken = R"({"id":")" + agent.state().directives.front().id + "\"}";
    const std::size_t before = agent.count(Verdict::kStuck);
    for (int i = 0; i < 12; ++i)
        agent.reports("directive.acknowledged", taken).does(test);
    INFO(agent.trace());
    CHECK(agent.count(Verdict::kStuck) > before);
}

TEST_CASE("a host that reboots refuses for a while, and then for too long") {
    Agent agent{Hook::kFinished};
    for (int i = 0; i < 4; ++i)
        agent.does(bash("ssh -o ConnectTimeout=20 stor-07 uname -r").fails(kRefused));
    expect_never_stuck(agent);
    for (int i = 0; i < 8; ++i)
        agent.does(bash("ssh -o ConnectTimeout=20 stor-07 uname -r").fails(kRefused));
    INFO(agent.trace());
    CHECK(agent.ever(Verdict::kStuck));
}

TEST_CASE("a search in other words that lists the same hits in another order stagnates") {
    Agent agent{each_hook()};
    constexpr std::array<const char*, 3> kHits{R"(["Acme TX-400 product page, specifications",)"
                                               R"("Forum: has anybody a manual","TX-400 on sale"])",
                                               R"(["TX-400 on sale",)"
                                               R"("Acme TX-400 product page, specifications",)"
                                               R"("Forum: has anybody a manual"])",
                                               R"(["Forum: has anybody a manual","TX-400 on sale",)"
                                               R"("Acme TX-400 product page, specifications"])"};
    for (int i = 0; i < 12; ++i)
        agent.does(search(with("E17 meaning, attempt with other words {}", i),
                          kHits.at(static_cast<std::size_t>(i % 3))));
    expect_suspect(agent);
}

TEST_CASE("lists of the same words with other numbers are other answers") {
    Agent agent{each_hook()};
    for (int i = 0; i < 12; ++i)
        agent.does(search(with("price of part {}", i),
                          with(R"(["the price of this part in the shop of Acme today is {}")", i) +
                              with(R"(,"in stock in the warehouse: {} pieces"])", 7 * i)));
    expect_progress(agent);
}

TEST_CASE("twenty searches in a row that find nothing are suspicious, whatever they ask") {
    Agent agent{each_hook()};
    for (int i = 0; i < 22; ++i) {
        agent.does(grep(with("computeNetTotal{}", i)).result("No matches found"));
    }
    expect_suspect(agent);
}

TEST_CASE("a service that fails behind each edit of its configuration as before is suspicious") {
    Agent agent{Hook::kDigests};
    for (int i = 0; i < 10; ++i) {
        agent
            .does(bash(with("sed -i 's/^Timeout=.*/Timeout={}/' /etc/billing.conf", i))
                      .result("")
                      .mutates("/etc/billing.conf", with("Timeout={}", i)))
            .reports("tool.finished",
                     R"({"tool":"bash","args":{"command":"systemctl restart billing; )"
                     R"(systemctl is-active billing"},"ok":false,"result":"failed"})");
    }
    INFO(agent.trace());
    CHECK(agent.ever(Verdict::kSuspect));
}

TEST_CASE("a query with a comparison in quotes is no edit, a redirection is one") {
    Agent agent{each_hook()};
    for (int i = 0; i < 30; ++i)
        agent.does(
            bash(with("psql -c \"select id from parts where total >{}\"", i)).result("0 rows"));
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kProgressing));
}

TEST_CASE("what has ended needs a person, however the wait is spelt and whatever lies between") {
    Agent agent{Hook::kFinished};
    agent.does(bash("sbatch train.sh").result("Submitted batch job 991204"));
    for (int i = 0; i < 8; ++i) {
        agent.passes(std::chrono::minutes{3})
            .does(bash("sleep 600; " + with("tail -n {} run.log", 1 + i % 3))
                      .result("step 1400/18000 loss 3.207\nKilled"));
    }
    INFO(agent.trace());
    CHECK(agent.verdict() == Verdict::kWaiting);
    CHECK(wants_somebody(agent));
}

TEST_CASE("a lock that stays taken needs a person after twenty waits") {
    Agent agent{Hook::kFinished};
    constexpr const char* kLocked =
        R"({"tool":"bash","args":{"command":"terraform plan"},"ok":false,)"
        R"("result":"Error: Error acquiring the state lock"})";
    const auto wait = [&agent] {
        agent.does(bash("sleep 30").result("")).reports("tool.finished", kLocked);
    };
    agent.reports("tool.finished", kLocked);
    for (int i = 0; i < 12; ++i)
        wait();
    CHECK_FALSE(wants_somebody(agent));
    for (int i = 0; i < 12; ++i)
        wait();
    INFO(agent.trace());
    CHECK(agent.verdict() == Verdict::kWaiting);
    CHECK(wants_somebody(agent));
}

TEST_CASE("the words of an echo are nothing under way") {
    Agent agent{each_hook()};
    for (int i = 0; i < 10; ++i)
        agent.does(bash(with("echo 'Step {}: processing the orders ...'", i))
                       .result(with("Step {}: processing the orders ...", i)));
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kWaiting));
}
