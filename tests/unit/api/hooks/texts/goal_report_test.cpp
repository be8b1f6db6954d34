// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/texts/goal_report.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace headway;
using namespace headway::api::hooks;

TEST_CASE("goal report: a question, an exit status and a time that is up are read",
          "[api][hooks]") {
    const GoalReport asks = read_goal_report("ask;6d616b65", nullptr);
    CHECK(asks.set);
    CHECK_FALSE(asks.ran);
    CHECK_FALSE(asks.reached());
    CHECK(asks.command == "make");
    const GoalReport failed = read_goal_report("2;6d616b65;7265640a", nullptr);
    CHECK(failed.ran);
    CHECK(failed.exit_status == 2);
    CHECK(failed.output == "red");
    CHECK_FALSE(failed.reached());
    CHECK(read_goal_report("0;6d;", nullptr).reached());
    const GoalReport late = read_goal_report("time;6d;", nullptr);
    CHECK(late.timed_out);
    CHECK_FALSE(late.reached());
    for (const char* status : {"126", "127"})
        CHECK(read_goal_report(std::string{status} + ";6d;", nullptr).cannot_run());
    CHECK_FALSE(read_goal_report("1;6d;", nullptr).cannot_run());
}

TEST_CASE("goal report: anything else is no goal", "[api][hooks]") {
    for (const char* header :
         {"", ";", "ask", "ask;", "ask;6", "ask;zz", "0", "0;;", "x;6d;", "-1;6d;", "256;6d;",
          "1 ;6d;", "0;6d;6d;6d", "0;6d;+a", "0;6d; 6", "99999999999999999999;6d;"}) {
        INFO(header);
        CHECK_FALSE(read_goal_report(header, nullptr).set);
    }
}

TEST_CASE("goal report: texts are UTF-8, bounded and without secrets", "[api][hooks]") {
    CHECK(read_goal_report("1;6d;ff", nullptr).output == "\xEF\xBF\xBD");
    std::string digits;
    for (int i = 0; i < 4'000; ++i)
        digits += "61";
    CHECK(read_goal_report("1;6d;" + digits, nullptr).output.size() <= kGoalOutputMax);
    const core::SecretFinder secrets;
    const std::string token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    std::string hex;
    for (const char c : token) {
        constexpr std::string_view kDigits = "0123456789abcdef";
        hex += kDigits[static_cast<unsigned char>(c) >> 4U];
        hex += kDigits[static_cast<unsigned char>(c) & 0xFU];
    }
    const GoalReport report = read_goal_report("1;" + hex + ";" + hex, &secrets);
    CHECK(report.output == "[redacted]");
    CHECK(report.command == "[redacted]");
}
