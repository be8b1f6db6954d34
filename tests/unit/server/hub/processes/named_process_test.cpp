// SPDX-License-Identifier: Apache-2.0
#include "server/hub/processes/named_process.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <sstream>

using namespace headway::server;

namespace {

/// Field 22, as a client reads it.
std::string start_field(::pid_t pid) {
    std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    std::istringstream rest{text.substr(text.rfind(')') + 2)};
    std::string word;
    for (int field = 3; field <= 22; ++field)
        rest >> word;
    return word;
}

bool has_ended(const headway::system::FileDescriptor& process) {
    ::pollfd poll{process.get(), POLLIN, 0};
    return ::poll(&poll, 1, 20'000) == 1;
}

struct Named {
    std::string pid = std::to_string(::getpid());
    std::string start = start_field(::getpid());
    ProcessPlace place = own_place();

    headway::system::FileDescriptor opened() const {
        return open_process({pid, start, place.boot, place.pid_ns}, own_place());
    }
};

}  // namespace

TEST_CASE("a process that its client names is followed to its end", "[server]") {
    const ::pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        for (;;)
            ::pause();
    }
    Named named;
    named.pid = std::to_string(child);
    named.start = start_field(child);
    const headway::system::FileDescriptor process = named.opened();
    REQUIRE(process.open());
    ::kill(child, SIGKILL);
    CHECK(has_ended(process));
    ::waitpid(child, nullptr, 0);
    CHECK_FALSE(named.opened().open());
}

TEST_CASE("numbers of another boot, namespace or time name no process", "[server]") {
    REQUIRE(Named{}.opened().open());
    Named named;
    named.start += "1";
    CHECK_FALSE(named.opened().open());
    named = {};
    named.place.boot = "7d3f";
    CHECK_FALSE(named.opened().open());
    named = {};
    named.place.pid_ns = "1";
    CHECK_FALSE(named.opened().open());
    named = {};
    named.start.clear();
    CHECK_FALSE(named.opened().open());
}

TEST_CASE("what is no number of a process names none", "[server]") {
    for (const char* pid : {"", "0", "-1", "1", "12x", "99999999999", "../self", "4194305"}) {
        INFO(pid);
        Named named;
        named.pid = pid;
        CHECK_FALSE(named.opened().open());
    }
}

TEST_CASE("where /proc does not say the place, no process is named", "[server]") {
    const Named named;
    CHECK_FALSE(open_process({named.pid, named.start, "", ""}, {}).open());
}
