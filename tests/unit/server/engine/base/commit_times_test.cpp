// SPDX-License-Identifier: Apache-2.0
#include "server/engine/base/commit_times.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"

using headway::server::CommitTimes;
using std::chrono::microseconds;

TEST_CASE("commit times: nothing is 0 before the first commit", "[server]") {
    CommitTimes times;
    CHECK(times.commits() == 0);
    CHECK(times.last() == microseconds{0});
    CHECK(times.percentile_ms(99) == 0);
    times.note_failure();
    CHECK(times.failures() == 1);
    CHECK(times.commits() == 0);
}

TEST_CASE("commit times: percentiles are of the newest ones, sums of all", "[server]") {
    CommitTimes times;
    for (int i = 1; i <= 100; ++i)
        times.note(microseconds{1000 * i});
    CHECK(times.last() == microseconds{100'000});
    CHECK(times.percentile_ms(0) == 1);
    CHECK(times.percentile_ms(50) == 50);
    CHECK(times.percentile_ms(100) == 100);
    for (std::size_t i = 0; i < headway::core::limits::kCommitTimesMax; ++i)
        times.note(microseconds{2000});
    CHECK(times.percentile_ms(100) == 2);
    CHECK(times.commits() == 100 + headway::core::limits::kCommitTimesMax);
    CHECK(times.microseconds() == 5'050'000 + 2000 * headway::core::limits::kCommitTimesMax);
}

TEST_CASE("commit times: the last one is the last one also when the ring has turned", "[server]") {
    CommitTimes times;
    for (std::size_t i = 0; i < 3 * headway::core::limits::kCommitTimesMax + 7; ++i) {
        times.note(microseconds{static_cast<std::int64_t>(i)});
        REQUIRE(times.last() == microseconds{static_cast<std::int64_t>(i)});
    }
    times.note(microseconds{-5});  // a steady clock does not do this
    CHECK(times.last() == microseconds{0});
}
