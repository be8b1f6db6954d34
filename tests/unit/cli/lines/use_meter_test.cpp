// SPDX-License-Identifier: Apache-2.0
#include "cli/lines/use_meter.hpp"

#include <catch2/catch.hpp>

using headway::cli::LineUse;
using headway::cli::UseMeter;

namespace {

/// Input and output only.
LineUse use(std::uint64_t input, std::uint64_t output, std::optional<double> cost,
            const std::string& answer) {
    LineUse line_use;
    line_use.tokens.input = input;
    line_use.tokens.output = output;
    line_use.cost_usd = cost;
    line_use.answer = answer;
    return line_use;
}

}  // namespace

TEST_CASE("use meter: an answer that comes again counts what is new in it", "[cli]") {
    UseMeter meter;
    CHECK(meter.add(use(100, 1, 0.5, "a"))->tokens.input == 100);
    CHECK_FALSE(meter.add(use(100, 1, 0.5, "a")));
    const auto more = meter.add(use(100, 20, 0.75, "a"));
    REQUIRE(more);
    CHECK(more->tokens.input == 0);
    CHECK(more->tokens.output == 19);
    CHECK(more->cost_usd == Approx(0.25));
    CHECK(meter.add(use(100, 20, {}, "b"))->tokens.output == 20);
}

TEST_CASE("use meter: what no agent can have used is as not told", "[cli]") {
    UseMeter meter;
    CHECK_FALSE(meter.add(use(UINT64_MAX, 0, {}, "a")));
    CHECK_FALSE(meter.add(use(0, UINT64_MAX, 1e300, "")));
    CHECK_FALSE(meter.add(use(0, 0, -1.0, "b")));
    const auto good = meter.add(use(UINT64_MAX, 7, 0.5, "c"));
    REQUIRE(good);
    CHECK(good->tokens.input == 0);
    CHECK(good->tokens.output == 7);
    CHECK(good->cost_usd == 0.5);
}

TEST_CASE("use meter: of a total, what the answers have told is taken off", "[cli]") {
    UseMeter meter;
    static_cast<void>(meter.add(use(100, 1, {}, "a")));
    static_cast<void>(meter.add(use(100, 1, {}, "b")));
    const auto rest = meter.add(use(200, 40, 0.01, ""));
    REQUIRE(rest);
    CHECK(rest->tokens.input == 0);
    CHECK(rest->tokens.output == 38);
    CHECK(rest->cost_usd == Approx(0.01));
    CHECK_FALSE(meter.add(use(200, 40, 0.01, "")));
    CHECK(meter.add(use(300, 60, 0.02, ""))->cost_usd == Approx(0.01));
}

TEST_CASE("use meter: a total below the sum of the answers takes nothing back", "[cli]") {
    UseMeter meter;
    static_cast<void>(meter.add(use(100, 20, 1.0, "a")));
    CHECK_FALSE(meter.add(use(50, 10, 0.5, "")));
}

TEST_CASE("use meter: a total below the one before is that of an agent started again", "[cli]") {
    UseMeter meter;
    static_cast<void>(meter.add(use(100, 20, 1.0, "")));
    const auto again = meter.add(use(80, 20, 0.5, ""));
    REQUIRE(again);
    CHECK(again->tokens.input == 80);
    CHECK(again->cost_usd == Approx(0.5));
}

TEST_CASE("use meter: the parts of an answer are counted apart, each once", "[cli]") {
    UseMeter meter;
    LineUse first;
    first.tokens = {10, 1'000, 20'000, 20, 500};
    first.answer = "a";
    CHECK(meter.add(first)->tokens == first.tokens);
    CHECK_FALSE(meter.add(first));
    first.tokens.reasoning = 600;
    CHECK(meter.add(first)->tokens == headway::cli::LineTokens{0, 0, 0, 0, 100});
}

TEST_CASE("use meter: a total that splits its tokens otherwise than the answers adds none",
          "[cli]") {
    UseMeter meter;
    static_cast<void>(meter.add(use(100, 100, {}, "a")));
    LineUse total;
    total.tokens = {40, 60, 0, 50, 50};
    CHECK_FALSE(meter.add(total));
    total.tokens.output = 70;
    CHECK(meter.add(total)->tokens.sum() == 20);
}

TEST_CASE("use meter: a resumed agent's first total shows whether it includes what was used before",
          "[cli]") {
    const auto added = [](bool restored, std::uint64_t input, double cost) {
        UseMeter meter;
        headway::cli::UsedBefore before;
        before.tokens.input = 1'000;
        before.cost_usd = 1;
        before.restored = restored;
        meter.start_from(before);
        std::uint64_t tokens = meter.add(use(50, 0, {}, "a"))->tokens.sum();
        double sum = 0;
        if (const auto rest = meter.add(use(input, 0, cost, ""))) {
            tokens += rest->tokens.sum();
            sum = rest->cost_usd.value_or(0);
        }
        return std::to_string(tokens) + " " + std::to_string(sum);
    };
    CHECK(added(true, 1'060, 1.5) == "60 0.500000");
    CHECK(added(false, 1'060, 1.5) == "60 0.500000");
    // It began at zero: the answer is not counted twice.
    CHECK(added(true, 60, 0.5) == "60 0.500000");
    CHECK(added(true, 1'060, 0.5) == "1060 0.500000");
    // No room for the answer: what is not known to be restored is not taken off.
    CHECK(added(false, 1'040, 1.5) == "1040 1.500000");
    CHECK(added(true, 1'040, 1.5) == "50 0.500000");
}

TEST_CASE("use meter: the last total is what a resume restores, and answers behind it are counted",
          "[cli]") {
    UseMeter meter;
    static_cast<void>(meter.add(use(100, 1, 0.5, "")));
    static_cast<void>(meter.add(use(30, 0, {}, "a")));
    CHECK(meter.last_total().tokens.input == 100);
    CHECK(meter.counted().tokens.input == 130);
    CHECK(meter.counted().cost_usd == 0.5);
}
