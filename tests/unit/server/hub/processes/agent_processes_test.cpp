// SPDX-License-Identifier: Apache-2.0
#include "server/hub/processes/agent_processes.hpp"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <catch2/catch.hpp>
#include <csignal>
#include <string>
#include <vector>

#include "core/base/limits.hpp"
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
    headway::system::FileDescriptor descriptor() const {
        return headway::system::FileDescriptor{
            static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0))};
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
    CHECK_FALSE(f.processes.offer({1, 1}, headway::system::FileDescriptor{}));
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
    std::vector<Child> agents(3);
    for (std::size_t i = 0; i < 2; ++i) {
        REQUIRE(f.processes.offer({1, 1}, agents[i].descriptor()));
        f.processes.bind({1, 1}, std::string(1, static_cast<char>('a' + i)));
    }
    CHECK_FALSE(f.processes.offer({1, 1}, agents[2].descriptor()));
    for (Child& agent : agents)
        agent.end();
    CHECK(run_until(f.io, [&f] { return f.gone.size() == 2; }));
    f.processes.stop();
}

TEST_CASE("agent processes: the sessions of one process share its place", "[server]") {
    Followed f;
    Child many;
    Child other;
    // Also the hooks that are not answered yet.
    for (std::uint64_t i = 0; i < 5; ++i)
        REQUIRE(f.processes.offer({i, 1}, many.descriptor()));
    CHECK(f.processes.size() == 1);
    for (std::uint64_t i = 0; i < 5; ++i)
        f.processes.bind({i, 1}, std::string(1, static_cast<char>('a' + i)));
    CHECK(f.processes.size() == 1);
    REQUIRE(f.processes.offer({9, 1}, other.descriptor()));
    f.processes.bind({9, 1}, "other");
    CHECK(f.processes.size() == 2);
    f.processes.forget("c");
    CHECK_FALSE(f.processes.follows("c"));
    many.end();
    REQUIRE(run_until(f.io, [&f] { return f.gone.size() == 4; }));
    CHECK(f.gone == std::vector<std::string>{"a", "b", "d", "e"});
    CHECK(f.processes.follows("other"));
    CHECK(f.processes.size() == 1);
    f.processes.forget("other");
    CHECK(f.processes.size() == 0);
}

TEST_CASE("agent processes: one that ends before its hook has a session is gone for it",
          "[server]") {
    Followed f;
    Child agent;
    REQUIRE(f.processes.offer({1, 1}, agent.descriptor()));
    agent.end();
    REQUIRE(run_until(f.io, [&f] { return f.processes.size() == 0; }));
    f.processes.bind({1, 1}, "s");
    CHECK(f.gone == std::vector<std::string>{"s"});
    CHECK_FALSE(f.processes.follows("s"));
}

TEST_CASE("agent processes: a process has a bounded number of sessions", "[server]") {
    Followed f;
    Child agent;
    for (std::size_t i = 0; i < headway::core::limits::kSessionsOfProcessMax; ++i) {
        REQUIRE(f.processes.offer({1, 1}, agent.descriptor()));
        f.processes.bind({1, 1}, std::to_string(i));
    }
    CHECK_FALSE(f.processes.offer({1, 1}, agent.descriptor()));
    f.processes.forget("0");
    CHECK(f.processes.offer({1, 1}, agent.descriptor()));
    f.processes.stop();
}
