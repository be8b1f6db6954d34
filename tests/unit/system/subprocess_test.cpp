// SPDX-License-Identifier: Apache-2.0
#include "system/subprocess.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <string>

using namespace headway::system;

namespace {

const Environment kPath{{"PATH", "/usr/bin:/bin"}};

std::string read_all(const FileDescriptor& from) {
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t size = ::read(from.get(), buffer.data(), buffer.size()); size > 0;
         size = ::read(from.get(), buffer.data(), buffer.size())) {
        text.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return text;
}

/// Output of a shell for `script`, started by `launch`, and its end.
std::string printed(const std::string& script, Launch launch, int expected = 0) {
    Pipe out;
    REQUIRE(make_pipe(out) == 0);
    launch.argv = {"/bin/sh", "-c", script};
    launch.streams[1] = out.write.get();
    const Started started = start(launch);
    out.write.reset();
    REQUIRE(started.error == 0);
    std::string text = read_all(out.read);
    const auto status = wait_for_end(started.pid);
    REQUIRE(status);
    CHECK(WIFEXITED(*status));
    CHECK(WEXITSTATUS(*status) == expected);
    return text;
}

/// The signals 1 to 31 of that line of /proc/self/status, as a program sees it. The two behind are
/// glibc's own.
unsigned long signals_in(const std::string& name, const Launch& launch) {
    const std::string line = printed("exec grep ^" + name + ": /proc/self/status", launch);
    return std::stoul(line.substr(line.find('\t') + 1), nullptr, 16) & 0x7fffffffUL;
}

}  // namespace

TEST_CASE("subprocess: a program has its environment, or ours, and its folder", "[system]") {
    CHECK(printed("echo $NAME; pwd; exit 3",
                  {.environment = Environment{{"NAME", "value"}}, .folder = "/"},
                  3) == "value\n/\n");
    ::setenv("HEADWAY_TEST_SUBPROCESS", "ours", 1);
    CHECK(printed("echo $HEADWAY_TEST_SUBPROCESS", {}) == "ours\n");
    CHECK(printed("echo $HEADWAY_TEST_SUBPROCESS", {.environment = kPath}) == "\n");
    ::unsetenv("HEADWAY_TEST_SUBPROCESS");
}

TEST_CASE("subprocess: no descriptor above standard error is passed on but the named", "[system]") {
    const std::string list =
        "for n in 3 4 5 6 7 8 9; do [ -e /proc/self/fd/$n ] && echo $n; done; true";
    const FileDescriptor forgotten{::open("/dev/null", O_RDONLY)};  // without O_CLOEXEC
    REQUIRE(::dup2(forgotten.get(), 7) == 7);
    REQUIRE(::dup2(forgotten.get(), 9) == 9);
    const FileDescriptor seven{7};
    const FileDescriptor nine{9};
    CHECK(printed(list, {.environment = kPath}) == "");
    CHECK(printed(list, {.environment = kPath, .inherited = {7}}) == "7\n");
    CHECK(printed(list, {.environment = kPath, .inherited = {7, 9}}) == "7\n9\n");
    CHECK(printed(list, {.environment = kPath, .ends_with_us = true}) == "");
}

TEST_CASE("subprocess: a stream that leads nowhere is empty and takes everything", "[system]") {
    for (const bool ends_with_us : {false, true}) {
        CHECK(printed("wc -c; echo lost >&2", {.environment = kPath,
                                               .streams = {kNowhere, kOurs, kNowhere},
                                               .ends_with_us = ends_with_us}) == "0\n");
    }
}

TEST_CASE("subprocess: signals are blocked and ignored as is asked", "[system]") {
    sigset_t two;
    sigemptyset(&two);
    sigaddset(&two, SIGUSR1);
    sigaddset(&two, SIGUSR2);
    const auto before_pipe = ::signal(SIGPIPE, SIG_IGN);
    const auto before_hup = ::signal(SIGHUP, SIG_IGN);
    CHECK(signals_in("SigBlk", {.mask = two}) == 0xa00);
    CHECK(signals_in("SigBlk", {.mask = no_signals()}) == 0x0);
    constexpr unsigned long kBoth =
        0x1001;  // SIGHUP and SIGPIPE: others may have been ignored before
    CHECK((signals_in("SigIgn", {}) & kBoth) == 0x1);  // as nohup asks
    CHECK(signals_in("SigIgn", {.default_signals = true}) == 0x0);
    CHECK((signals_in("SigIgn", {.ends_with_us = true}) & kBoth) == 0x1);
    ::signal(SIGPIPE, before_pipe);
    ::signal(SIGHUP, before_hup);
}

TEST_CASE("subprocess: a group of its own can be killed as a whole", "[system]") {
    for (const bool ends_with_us : {false, true}) {
        Pipe out;
        REQUIRE(make_pipe(out) == 0);
        const Started shell = start({.argv = {"/bin/sh", "-c", "sleep 600 & echo begun; sleep 600"},
                                     .environment = kPath,
                                     .streams = {kNowhere, out.write.get(), kOurs},
                                     .own_group = true,
                                     .ends_with_us = ends_with_us});
        out.write.reset();
        REQUIRE(shell.error == 0);
        std::array<char, 6> begun{};
        REQUIRE(::read(out.read.get(), begun.data(), begun.size()) == 6);
        REQUIRE(::kill(-shell.pid, SIGKILL) == 0);
        CHECK(read_all(out.read).empty());  // ends when the last of the group does
        const auto status = wait_for_end(shell.pid);
        REQUIRE(status);
        CHECK(WIFSIGNALED(*status));
        CHECK_FALSE(wait_for_end(shell.pid));
    }
}

TEST_CASE("subprocess: what cannot be started is an error, or ends with 127", "[system]") {
    CHECK(start({.argv = {"/no/such/command"}}).error == ENOENT);
    CHECK(start({.argv = {"/no/such/command"}}).pid == -1);
    CHECK(start({.argv = {"/etc/passwd"}}).error == EACCES);
    const Started forked = start({.argv = {"/no/such/command"}, .ends_with_us = true});
    REQUIRE(forked.error == 0);
    const auto status = wait_for_end(forked.pid);
    REQUIRE(status);
    CHECK(WEXITSTATUS(*status) == 127);
}

TEST_CASE("subprocess: one that ends with us gets SIGTERM when we die", "[system]") {
    Pipe out;
    REQUIRE(make_pipe(out) == 0);
    const pid_t parent = ::fork();
    if (parent == 0) {
        const Started child = start(
            {.argv = {"/bin/sh", "-c",
                      "trap 'echo ended; exit' TERM; echo begun; while :; do sleep 0.05; done"},
             .environment = kPath,
             .streams = {kNowhere, out.write.get(), kOurs},
             .ends_with_us = true});
        ::_exit(child.error == 0 && ::pause() < 0 ? 0 : 1);
    }
    out.write.reset();
    std::array<char, 6> begun{};
    REQUIRE(::read(out.read.get(), begun.data(), begun.size()) == 6);
    ::kill(parent, SIGKILL);
    static_cast<void>(wait_for_end(parent));
    CHECK(read_all(out.read) == "ended\n");
}
