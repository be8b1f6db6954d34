// SPDX-License-Identifier: Apache-2.0
#include "core/values/ping_schedule.hpp"

#include <catch2/catch.hpp>

using namespace headway::core;
using namespace std::chrono_literals;

namespace {

/// A Saturday.
constexpr Timestamp kDay{std::chrono::sys_days{std::chrono::year{2026} / 11 / 28}};

Timestamp next(std::string_view text, Timestamp at = kDay) {
    const auto cron = Cron::parse(text);
    REQUIRE(cron.has_value());
    return cron->next(at);
}

Millis utc(Timestamp) {
    return Millis{0};
}

}  // namespace

TEST_CASE("cron: the next minute that matches", "[core]") {
    CHECK(next("30 2 * * *") == kDay + 2h + 30min);
    CHECK(next("30 2 * * *", kDay + 2h + 30min) == kDay + 26h + 30min);
    CHECK(next("*/15 * * * *", kDay + 7min) == kDay + 15min);
    CHECK(next("0 9-17/4 * * *", kDay + 10h) == kDay + 13h);
    CHECK(next("0 0 1 jan *") == kDay + 34 * 24h);
    CHECK(next("0 0 * * Mon-Fri") == kDay + 48h);
    CHECK(next("0 12 * * 7") == kDay + 36h);
    CHECK(next("5,10 0 * * *") == kDay + 5min);
}

TEST_CASE("cron: with a day of the month and one of the week either is enough", "[core]") {
    CHECK(next("0 0 13 * 5") == kDay + 6 * 24h);  // a Friday comes before the 13th
    CHECK(next("0 0 30 * 5") == kDay + 48h);      // the 30th before a Friday
}

TEST_CASE("cron: a day that never comes is none", "[core]") {
    CHECK(next("0 0 31 2 *") == kNever);
    CHECK(next("0 0 29 2 *") == Timestamp{std::chrono::sys_days{std::chrono::year{2028} / 2 / 29}});
}

TEST_CASE("cron: a mistake names the field and what it may be", "[core]") {
    for (const auto& [text, words] : {std::pair{"60 * * * *", "minute \"60\" is not from 0 to 59"},
                                      {"* 24 * * *", "hour \"24\""},
                                      {"* * 0 * *", "day of the month \"0\""},
                                      {"* * * foo *", "month \"foo\""},
                                      {"* * * * 8", "day of the week \"8\""},
                                      {"*/0 * * * *", "minute \"*/0\""},
                                      {"5-3 * * * *", "minute \"5-3\""},
                                      {", * * * *", "minute \"\""},
                                      {"* * * *", "there are 4 fields"},
                                      {"@daily", "there are 1 fields"}}) {
        const auto cron = Cron::parse(text);
        REQUIRE_FALSE(cron.has_value());
        CHECK_THAT(cron.error().detail, Catch::Contains(words));
        CHECK(cron.error().field == "cron");
    }
}

TEST_CASE("ping schedule: the next start is by the period, or by the clock on the wall", "[core]") {
    const PingSchedule daily{24h, {}, 1h};
    CHECK(next_start(daily, kDay + 3h, utc) == kDay + 27h);
    const PingSchedule cron{0ms, "30 2 * * *", 1h};
    CHECK(next_start(cron, kDay + 2h + 30min + 5s, utc) == kDay + 26h + 30min);
    const auto berlin = [](Timestamp) { return Millis{1h}; };
    CHECK(next_start(cron, kDay + 5h, berlin) == kDay + 25h + 30min);
}

TEST_CASE("ping schedule: a job whose clock is a little early has started", "[core]") {
    const PingSchedule cron{0ms, "30 2 * * *", 1h};
    CHECK(next_start(cron, kDay + 2h + 29min + 30s, utc) == kDay + 26h + 30min);
}

TEST_CASE("ping schedule: summer time moves the next start by its hour", "[core]") {
    // Clocks go forward on this day at 01:00 UTC.
    const Timestamp spring{std::chrono::sys_days{std::chrono::year{2027} / 3 / 28}};
    const auto berlin = [&](Timestamp at) { return at < spring + 1h ? Millis{1h} : Millis{2h}; };
    const PingSchedule cron{0ms, "0 6 * * *", 1h};
    CHECK(next_start(cron, spring - 12h, berlin) == spring + 4h);
    // There is no 02:30 on that day: cron starts the job behind the gap.
    const PingSchedule skipped{0ms, "30 2 * * *", 5min};
    CHECK(next_start(skipped, spring - 22h - 30min, berlin) >= spring + 1h);
    CHECK(next_start(skipped, spring - 22h - 30min, berlin) <= spring + 2h);
}

TEST_CASE("ping schedule: what is printed is read again", "[core]") {
    for (const PingSchedule& schedule :
         {PingSchedule{24h, {}, 1h}, PingSchedule{90min, {}, 0ms, true},
          PingSchedule{0ms, "30 2 * * 1-5", 5min}, PingSchedule{0ms, "0 0 1,15 * *", 36h, true},
          PingSchedule{24h, {}, 1h, false, kDay + 3h}, PingSchedule{24h, {}, 1h, true, kDay}})
        CHECK(read_schedule(print_schedule(schedule)) == schedule);
    for (const char* text : {"", "every 1d", "every x, grace 1h", "cron bad, grace 1h", "off",
                             "every 1d, grace 1h, excused soon"})
        CHECK_FALSE(read_schedule(text).has_value());
}
