// SPDX-License-Identifier: Apache-2.0
#include "config/values/read_file.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/temp_dir.hpp"

using namespace headway::config;
using namespace headway::tests;

TEST_CASE("read_file: all of a file, of any length", "[config]") {
    const TempDir dir;
    for (const std::size_t size : {0U, 1U, 16'383U, 16'384U, 16'385U, 100'000U}) {
        const std::string text(size, 'x');
        std::ofstream{dir.file("f")} << text;
        CHECK(read_file(dir.file("f")) == text);
    }
    CHECK_FALSE(read_file(dir.file("f"), 99'999));
    CHECK(read_file(dir.file("f"), 100'000));
}

TEST_CASE("read_file: what cannot be read is nothing, and throws nothing", "[config]") {
    const TempDir dir;
    CHECK_FALSE(read_file(dir.file("absent")));
    CHECK_FALSE(read_file(dir.file("")));  // a folder opens, and read() fails
    CHECK_FALSE(read_file("/proc/self/mem"));
}

TEST_CASE("read_file: a process that has ended since its file was opened", "[config]") {
    // As /proc/PID/stat of a child: opened while it lives, read when it has been waited for. The
    // window is inside read_file(), so many children are tried.
    for (int i = 0; i < 300; ++i) {
        const pid_t child = ::fork();
        if (child == 0) ::_exit(0);
        REQUIRE(child > 0);
        const std::string stat = "/proc/" + std::to_string(child) + "/stat";
        (void)read_file(stat);
        ::waitpid(child, nullptr, 0);
        CHECK_FALSE(read_file(stat));
    }
}
