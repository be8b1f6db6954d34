// SPDX-License-Identifier: Apache-2.0
#include "server/engine/residents/agent_work.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <functional>

#include "tests/support/make.hpp"

using namespace headway::server;
using namespace headway::tests;

namespace {

/// A process that does this until it is killed, and what it has started with it.
class Process {
public:
    explicit Process(const std::function<void()>& work) : pid_(::fork()) {
        REQUIRE(pid_ >= 0);
        if (pid_ == 0) {
            ::setpgid(0, 0);
            for (;;)
                work();
        }
        ::setpgid(pid_, pid_);
    }
    ~Process() {
        ::kill(-pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    int number() const { return pid_; }

private:
    ::pid_t pid_;
};

void spin() {
    static std::atomic<std::uint64_t> turns{0};  // seen from outside, so the loop stays
    for (int i = 0; i < 1'000'000; ++i)
        turns.fetch_add(1, std::memory_order_relaxed);
}

void rest() {
    ::pause();
}

void start_another() {
    if (::fork() == 0) {
        for (;;)
            spin();
    }
    for (;;)
        ::pause();
}

/// As if two looks were 21 s apart, of which half a second of work is more than 2 %.
bool works(AgentWork& work, const Process& process) {
    const std::uint64_t enough = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)) / 2;
    const std::uint64_t before = ticks_of_processes(process.number());
    CHECK_FALSE(work.look(at(0)));
    for (int i = 0; i < 5'000; ++i) {  // on a busy machine it takes longer
        if (ticks_of_processes(process.number()) > before + enough) break;
        ::poll(nullptr, 0, 20);
    }
    return work.look(at(21'000));
}

}  // namespace

TEST_CASE("agent work: a process that computes works, and one that rests does not", "[server]") {
    const Process busy{spin};
    const Process idle{rest};
    AgentWork of_busy;
    AgentWork of_idle;
    of_busy.follow(busy.number());
    of_idle.follow(idle.number());
    CHECK(works(of_busy, busy));
    CHECK_FALSE(of_idle.look(at(0)));
    CHECK_FALSE(of_idle.look(at(21'000)));
}

TEST_CASE("agent work: what its process has started counts", "[server]") {
    const Process agent{start_another};
    AgentWork work;
    work.follow(agent.number());
    CHECK(works(work, agent));
}

TEST_CASE("agent work: looks that are close say what the last one said", "[server]") {
    const Process busy{spin};
    AgentWork work;
    work.follow(busy.number());
    REQUIRE(works(work, busy));
    CHECK(work.look(at(22'000)));
    CHECK_FALSE(work.look(at(2'000'000)));  // too little for half an hour
}

TEST_CASE("agent work: of no process, one that has ended, or another one nothing is known",
          "[server]") {
    AgentWork work;
    CHECK_FALSE(work.look(at(0)));
    CHECK_FALSE(work.look(at(60'000)));
    int ended = 0;
    {
        const Process busy{spin};
        ended = busy.number();
        work.follow(ended);
        CHECK_FALSE(work.look(at(120'000)));
    }
    CHECK_FALSE(work.look(at(180'000)));
    CHECK(ticks_of_processes(ended) == 0);
    CHECK(ticks_of_processes(0) == 0);
    CHECK(ticks_of_processes(-1) == 0);
    work.follow(::getpid());
    CHECK_FALSE(work.look(at(240'000)));
}

TEST_CASE("agent work: a clock that went back begins again", "[server]") {
    const Process busy{spin};
    AgentWork work;
    work.follow(busy.number());
    REQUIRE(works(work, busy));
    CHECK_FALSE(work.look(at(-60'000)));
}
