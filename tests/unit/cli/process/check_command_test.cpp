// SPDX-License-Identifier: Apache-2.0
#include "cli/process/check_command.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "api/text/plain_text.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::cli;
using namespace std::chrono_literals;

TEST_CASE("check command: the end of its output does not depend on the pieces in which it came",
          "[cli]") {
    headway::tests::TempDir dir;
    const std::string file = dir.file("said").string();
    const SignalGuard signals;
    std::atomic<std::uint64_t> size{0};
    const std::map<std::string, std::string> environment{{"PATH", "/usr/bin:/bin"}};
    for (const std::size_t bytes : {2'048U, 2'049U, 4'096U, 4'097U, 8'192U, 10'000U, 12'288U}) {
        CAPTURE(bytes);
        std::string text(bytes - 1, 'x');
        text.front() = '>';
        text += '\n';
        std::ofstream(file) << text;
        size = 0;
        // In one write, of which each look at the pipe takes 4,096 bytes.
        const CheckResult result =
            CheckCommand({"cat " + file, "/", environment, signals.outer_mask(), signals.fd(), 60s,
                          size, [] { return CheckResult::Ended::kNot; }})
                .run();
        CHECK(result.passed());
        CHECK(size == bytes);
        CHECK(result.output == headway::api::tail_of(text, 2'048));
    }
}
