// SPDX-License-Identifier: Apache-2.0
#include "cli/process/process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>

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
