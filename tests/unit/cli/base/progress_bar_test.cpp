// SPDX-License-Identifier: Apache-2.0
#include "cli/base/progress_bar.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using namespace headway::cli;
using std::chrono::milliseconds;

TEST_CASE("progress bar: how much is done, and how long it may take", "[cli]") {
    CHECK(progress_line("judging", 0, 10, milliseconds{50}, 80) ==
          "judging [..............................] 0 of 10");
    CHECK(progress_line("judging", 5, 10, milliseconds{2'000}, 80) ==
          "judging [###############...............] 5 of 10, 2.0s left");
    CHECK(progress_line("judging", 10, 10, milliseconds{2'000}, 80) ==
          "judging [##############################] 10 of 10");
    CHECK(progress_line("judging", 0, 0, milliseconds{0}, 12) == "judging [##…");
}

namespace {

/// Time that a test moves.
struct Clock {
    SteadyTime at;
    ProgressBar::Now now() {
        return [this] { return at; };
    }
};

}  // namespace

TEST_CASE("progress bar: nothing is drawn without a terminal", "[cli]") {
    std::ostringstream out;
    std::ostringstream err;
    const Console console{out, err, {}};
    Clock clock;
    {
        ProgressBar bar(console, "judging", 3, clock.now());
        bar.step();
        clock.at += milliseconds{100};
        bar.step();
    }
    CHECK(err.str().empty());
}

TEST_CASE("progress bar: on a terminal its line is gone when the work is done", "[cli]") {
    std::ostringstream out;
    std::ostringstream err;
    Console console{out, err, {}};
    console.err_terminal = true;
    Clock clock;
    {
        ProgressBar bar(console, "judging", 3, clock.now());
        bar.step();  // over in a moment: not drawn
        CHECK(err.str().empty());
        clock.at += milliseconds{100};
        bar.step();
        CHECK_THAT(err.str(), Catch::StartsWith("\rjudging [") && Catch::Contains("2 of 3"));
    }
    CHECK_THAT(err.str(), Catch::EndsWith("\r\x1b[K"));
}
