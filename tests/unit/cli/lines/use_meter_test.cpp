// SPDX-License-Identifier: Apache-2.0
#include "cli/lines/use_meter.hpp"

#include <catch2/catch.hpp>

using headway::cli::LineUse;
using headway::cli::UseMeter;

TEST_CASE("use meter: an answer that comes again counts what is new in it", "[cli]") {
    UseMeter meter;
    CHECK(meter.add({100, 1, 0.5, "a"})->input_tokens == 100);
    CHECK_FALSE(meter.add({100, 1, 0.5, "a"}));
    const auto more = meter.add({100, 20, 0.75, "a"});
    REQUIRE(more);
    CHECK(more->input_tokens == 0);
    CHECK(more->output_tokens == 19);
    CHECK(more->cost_usd == Approx(0.25));
    CHECK(meter.add({100, 20, {}, "b"})->output_tokens == 20);
}

TEST_CASE("use meter: what no agent can have used is as not told", "[cli]") {
    UseMeter meter;
    CHECK_FALSE(meter.add({UINT64_MAX, 0, {}, "a"}));
    CHECK_FALSE(meter.add({0, UINT64_MAX, 1e300, ""}));
    CHECK_FALSE(meter.add({0, 0, -1.0, "b"}));
    const auto good = meter.add({UINT64_MAX, 7, 0.5, "c"});
    REQUIRE(good);
    CHECK(good->input_tokens == 0);
    CHECK(good->output_tokens == 7);
    CHECK(good->cost_usd == 0.5);
}

TEST_CASE("use meter: of a total, what the answers have told is taken off", "[cli]") {
    UseMeter meter;
    static_cast<void>(meter.add({100, 1, {}, "a"}));
    static_cast<void>(meter.add({100, 1, {}, "b"}));
    const auto rest = meter.add({200, 40, 0.01, ""});
    REQUIRE(rest);
    CHECK(rest->input_tokens == 0);
    CHECK(rest->output_tokens == 38);
    CHECK(rest->cost_usd == Approx(0.01));
    CHECK_FALSE(meter.add({200, 40, 0.01, ""}));
    CHECK(meter.add({300, 60, 0.02, ""})->cost_usd == Approx(0.01));
}

TEST_CASE("use meter: a total below the sum of the answers takes nothing back", "[cli]") {
    UseMeter meter;
    static_cast<void>(meter.add({100, 20, 1.0, "a"}));
    CHECK_FALSE(meter.add({50, 10, 0.5, ""}));
}

TEST_CASE("use meter: a total below the one before is that of an agent started again", "[cli]") {
    UseMeter meter;
    static_cast<void>(meter.add({100, 20, 1.0, ""}));
    const auto again = meter.add({80, 20, 0.5, ""});
    REQUIRE(again);
    CHECK(again->input_tokens == 80);
    CHECK(again->cost_usd == Approx(0.5));
}
