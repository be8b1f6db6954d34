// SPDX-License-Identifier: Apache-2.0
#include "cli/process/process.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>
#include <string_view>

using namespace headway::cli;

namespace {

std::string read_all(const headway::system::FileDescriptor& from) {
    std::string text;
    std::array<char, 256> buffer{};
    for (ssize_t size = ::read(from.get(), buffer.data(), buffer.size()); size > 0;
         size = ::read(from.get(), buffer.data(), buffer.size())) {
        text.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return text;
}

sigset_t no_signals() {
    sigset_t mask;
    sigemptyset(&mask);
    return mask;
}

ExitStatus wait_for(pid_t pid) {
    int status = 0;
    REQUIRE(::waitpid(pid, &status, 0) == pid);
    return exit_status_of(status);
}

}  // namespace

TEST_CASE("process: output, environment and exit status come through", "[cli]") {
    const Process process =
        spawn_process({"/bin/sh", "-c", "echo out $NAME; echo err >&2; exit 3"},
                      {{"NAME", "value"}, {"PATH", "/usr/bin:/bin"}}, no_signals());
    REQUIRE(process.error == 0);
    CHECK(read_all(process.out) == "out value\n");
    CHECK(read_all(process.err) == "err\n");
    const ExitStatus status = wait_for(process.pid);
    CHECK(status.code == 3);
    CHECK(status.text() == "exit status 3");
}

TEST_CASE("process: a signal shows as a shell shows it", "[cli]") {
    const Process process = spawn_process({"/bin/sh", "-c", "kill -9 $$"}, {}, no_signals());
    REQUIRE(process.error == 0);
    const ExitStatus status = wait_for(process.pid);
    CHECK(status.code == 137);
    CHECK(status.text() == "killed by signal 9 (Killed)");
}

TEST_CASE("process: what cannot be started says why", "[cli]") {
    const Process absent = spawn_process({"/no/such/command"}, {}, no_signals());
    CHECK(absent.pid == -1);
    CHECK(absent.error == ENOENT);
    CHECK(spawn_process({"/etc/passwd"}, {}, no_signals()).error == EACCES);
}

TEST_CASE("process: neither the environment nor the memory shows our variables to other programs",
          "[cli]") {
    const pid_t pid = ::fork();  // not in this process, which the other tests share
    if (pid == 0) {
        char token[] = "HEADWAY_TOKEN=hw_secret";
        char other[] = "PATH=/bin";
        char* variables[] = {token, other, nullptr};
        environ = variables;
        hide_own_variables();
        const bool hidden = std::string_view{token + 14}.empty() && ::prctl(PR_GET_DUMPABLE) == 0;
        ::_exit(hidden && std::string_view{other} == "PATH=/bin" ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(pid, &status, 0) == pid);
    CHECK(exit_status_of(status).code == 0);
}
