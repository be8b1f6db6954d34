// SPDX-License-Identifier: Apache-2.0
#include "core/budgets/day_budget.hpp"

#include <catch2/catch.hpp>

using namespace headway::core;
using namespace std::chrono_literals;

namespace {

Timestamp at_ms(std::int64_t ms) {
    return Timestamp{} + Millis{ms};
}

constexpr std::int64_t kDayOf = 86'400'000;

DayCap cap_of(std::optional<double> usd, std::optional<std::uint64_t> tokens) {
    return {"", usd, tokens};
}

}  // namespace

TEST_CASE("day: it begins where the operator says, in UTC") {
    CHECK(day_of(at_ms(0), 0ms) == 0);
    CHECK(day_of(at_ms(kDayOf - 1), 0ms) == 0);
    CHECK(day_of(at_ms(kDayOf), 0ms) == 1);
    CHECK(day_of(at_ms(kDayOf + 5 * 3'600'000), 6h) == 0);
    CHECK(day_of(at_ms(kDayOf + 6 * 3'600'000), 6h) == 1);
    CHECK(day_begins(1, 6h) == at_ms(kDayOf + 6 * 3'600'000));
    CHECK(day_name(20'784) == "2026-11-27");
    CHECK(day_name(0) == "1970-01-01");
}

TEST_CASE("day: at 80 % it warns, at all of it it is reached") {
    const DayCap cap = cap_of(10.0, std::nullopt);
    DayUse use;
    CHECK(day_level(cap, use) == DayLevel::kNominal);
    use.cost_micros = 7'999'999;
    CHECK(day_level(cap, use) == DayLevel::kNominal);
    use.cost_micros = 8'000'000;
    CHECK(day_level(cap, use) == DayLevel::kWarned);
    use.cost_micros = 10'000'000;
    CHECK(day_level(cap, use) == DayLevel::kReached);
    use.more_micros = 5'000'000;
    CHECK(day_level(cap, use) == DayLevel::kNominal);
    use.cost_micros = 15'000'000;
    CHECK(day_level(cap, use) == DayLevel::kReached);
    use.lifted = true;
    CHECK(day_level(cap, use) == DayLevel::kWarned);
}

TEST_CASE("day: tokens have a cap too, and a part without a cap never reaches one") {
    DayUse use;
    use.tokens = 500;
    use.cost_micros = 99'000'000;
    CHECK(day_level(cap_of(std::nullopt, 500), use) == DayLevel::kReached);
    CHECK(day_level(cap_of(std::nullopt, 501), use) == DayLevel::kWarned);
    CHECK(day_level(cap_of(std::nullopt, std::nullopt), use) == DayLevel::kNominal);
}

TEST_CASE("day: the figures name the cap, and say when the cost is a lower bound") {
    DayUse use;
    use.tokens = 1200;
    use.cost_micros = 21'500'000;
    CHECK(day_figures(cap_of(20.0, 5000), use) ==
          "$21.50 of $20.00 and 1200 of 5000 tokens were used today by all sessions");
    use.unpriced = 7;
    CHECK(day_figures({"team=payments", 20.0, {}}, use) ==
          "at least $21.50 of $20.00 were used today by sessions with team=payments");
    CHECK(is_day_pause(day_pause_reason(cap_of(20.0, {}), use)));
    CHECK_FALSE(is_day_pause("paused by the operator"));
}
