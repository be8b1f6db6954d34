// SPDX-License-Identifier: Apache-2.0
#include "server/agent_processes.hpp"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <catch2/catch.hpp>
#include <csignal>

#include "tests/support/wire.hpp"

using namespace headway::server;
using namespace headway::tests;

namespace {

/// A process that lives until it is killed.
class Child {
public:
    Child() : pid_(::fork()) {
        REQUIRE(pid_ >= 0);
        if (pid_ == 0) {
            for (;;)
                ::pause();
        }
    }
    ~Child() { end(); }
    void end() {
        if (pid_ == 0) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }
    OwnedDescriptor descriptor() const {
        return OwnedDescriptor{static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0))};
    }

private:
    ::pid_t pid_ = 0;
};

struct Followed {
    net::io_context io{1};
    std::vector<std::string> gone;
    AgentProcesses processes{io, [this](const std::string& session) { gone.push_back(session); }};
    Followed() { processes.allow(2); }
};

}  // namespace

TEST_CASE("agent processes: the end of a process is reported with its session", "[server]") {
    Followed f;
    Child agent;
    REQUIRE(f.processes.offer({1, 1}, agent.descriptor()));
    f.processes.bind({1, 1}, "s");
    CHECK(f.processes.size() == 1);
    run_ready(f.io);
    CHECK(f.gone.empty());
    agent.end();
    REQUIRE(run_until(f.io, [&f] { return !f.gone.empty(); }));
    CHECK(f.gone == std::vector<std::string>{"s"});
    CHECK(f.processes.size() == 0);
}

TEST_CASE("agent processes: a later process of a session takes the place of the earlier",
          "[server]") {
    Followed f;
    Child first;
    Child second;
    for (const Child* child : {&first, &second}) {
        REQUIRE(f.processes.offer({1, 1}, child->descriptor()));
        f.processes.bind({1, 1}, "s");
    }
    first.end();
    run_ready(f.io);
    CHECK(f.gone.empty());
    second.end();
    CHECK(run_until(f.io, [&f] { return f.gone.size() == 1; }));
}

TEST_CASE("agent processes: a hook without a process, or that was refused, follows none",
          "[server]") {
    Followed f;
    CHECK_FALSE(f.processes.offer({1, 1}, OwnedDescriptor{}));
    f.processes.bind({1, 1}, "s");
    Child agent;
    REQUIRE(f.processes.offer({2, 1}, agent.descriptor()));
    f.processes.drop({2, 1});
    f.processes.bind({2, 1}, "s");
    CHECK(f.processes.size() == 0);
    REQUIRE(f.processes.offer({2, 1}, agent.descriptor()));
    f.processes.bind({2, 1}, "s");
    f.processes.forget("s");
    agent.end();
    run_ready(f.io);
    CHECK(f.gone.empty());
}

TEST_CASE("agent processes: no more are followed than descriptors allow", "[server]") {
    Followed f;
    Child agent;
    for (const char* session : {"a", "b"}) {
        REQUIRE(f.processes.offer({1, 1}, agent.descriptor()));
        f.processes.bind({1, 1}, session);
    }
    CHECK_FALSE(f.processes.offer({1, 1}, agent.descriptor()));
    agent.end();
    CHECK(run_until(f.io, [&f] { return f.gone.size() == 2; }));
    f.processes.stop();
}
