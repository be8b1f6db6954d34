// SPDX-License-Identifier: Apache-2.0
#include "core/budgets/budget_text.hpp"

#include <catch2/catch.hpp>

#include "tests/support/budgeted.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

BudgetStatus status_of(std::uint64_t elapsed_s, std::optional<std::uint64_t> timeout,
                       std::uint64_t steps, std::optional<std::uint64_t> max_steps) {
    BudgetLimits limits;
    limits.timeout_seconds = timeout;
    limits.max_steps = max_steps;
    Budgeted b{limits};
    const auto ms = static_cast<std::int64_t>(elapsed_s) * 1000;
    b.report(beat_of_iteration(steps), ms);
    return b.status(ms);
}

}  // namespace

TEST_CASE("budget text: the prompt is that of docs/first-designs.md", "[budget]") {
    CHECK(budget_prompt(status_of(45, 300, 15, 30)) ==
          "[EXECUTION BUDGET]\n"
          "Current Progress: Step 15/30, Elapsed: 45/300 seconds\n"
          "Time Used: 15%, Steps Used: 50%\n"
          "Remaining: 255 seconds, 15 steps\n"
          "Status: NOMINAL (Continue normally)");
    CHECK(budget_prompt(status_of(45, 300, 21, 30)) ==
          "[EXECUTION BUDGET]\n"
          "Current Progress: Step 21/30, Elapsed: 45/300 seconds\n"
          "Time Used: 15%, Steps Used: 70%\n"
          "Remaining: 255 seconds, 9 steps\n"
          "Status: LOW BUDGET (Prioritize wrapping up. Provide final answer soon.)");
}

TEST_CASE("budget text: every level has its line", "[budget]") {
    struct Case {
        std::uint64_t steps;
        const char* line;
    };
    const Case cases[] = {
        {69, "Status: NOMINAL (Continue normally)"},
        {70, "Status: LOW BUDGET (Prioritize wrapping up. Provide final answer soon.)"},
        {80, "Status: CRITICAL (Wrap up now. Provide final answer with what you have.)"},
        {90, "Status: EXHAUSTED (Stop now. Report your partial result and end.)"},
    };
    for (const Case& c : cases) {
        const std::string prompt = budget_prompt(status_of(1, 300, c.steps, 100));
        CHECK(prompt.substr(prompt.rfind('\n') + 1) == c.line);
    }
}

TEST_CASE("budget text: unlimited dimensions are left out", "[budget]") {
    CHECK(budget_prompt(status_of(45, {}, 15, 30)) ==
          "[EXECUTION BUDGET]\n"
          "Current Progress: Step 15/30, Elapsed: 45 seconds\n"
          "Steps Used: 50%\n"
          "Remaining: 15 steps\n"
          "Status: NOMINAL (Continue normally)");
    CHECK(budget_prompt(status_of(45, 300, 15, {})) ==
          "[EXECUTION BUDGET]\n"
          "Current Progress: Step 15, Elapsed: 45/300 seconds\n"
          "Time Used: 15%\n"
          "Remaining: 255 seconds\n"
          "Status: NOMINAL (Continue normally)");
}

TEST_CASE("budget text: tokens and money have a line each when they are limited", "[budget]") {
    BudgetLimits limits;
    limits.max_tokens = 50'000;
    limits.max_cost_usd = 1.5;
    Budgeted b{limits};
    b.report(beat_with_usage(12'345, 0.3), 4'000);
    CHECK(budget_prompt(b.status(4'000)) ==
          "[EXECUTION BUDGET]\n"
          "Current Progress: Step 0, Elapsed: 4 seconds\n"
          "Tokens Used: 24% (12345/50000), Remaining: 37655 tokens\n"
          "Cost Used: 20% ($0.30/$1.50), Remaining: $1.20\n"
          "Status: NOMINAL (Continue normally)");
}

TEST_CASE("budget text: percentages are rounded down, so that 69 % never says low", "[budget]") {
    const std::string prompt = budget_prompt(status_of(1, {}, 1399, 2000));
    CHECK(prompt.find("Steps Used: 69%") != std::string::npos);
    CHECK(prompt.find("NOMINAL") != std::string::npos);
}

TEST_CASE("budget text: advice quotes the exact figures and fits a directive", "[budget]") {
    BudgetLimits limits;
    limits.timeout_seconds = 300;
    limits.max_steps = 30;
    limits.max_tokens = kMaxTokensMax;
    limits.max_cost_usd = kMaxCostUsdMax;
    Budgeted b{limits};
    b.report(beat_of_iteration(27), 100'000);
    const std::string advice = budget_advice(b.status(100'000));
    CHECK(
        advice.starts_with("90% of the steps are used (100 of 300 seconds, 27 of 30 steps, 0 of "
                           "1000000000000 tokens, cost not known). Stop now:"));
    CHECK(advice.size() <= limits::kStringBytesMax);
}

TEST_CASE("budget text: near its end the block says how long calls usually take", "[budget]") {
    const std::string usual = "bash 2 s (p95 40 s)";
    CHECK(budget_prompt(status_of(45, 300, 15, 30), usual) ==
          budget_prompt(status_of(45, 300, 15, 30)));
    const std::string low = budget_prompt(status_of(45, 300, 21, 30), usual);
    CHECK(low.find("Remaining: 255 seconds, 9 steps\nUsual Tool Time: bash 2 s (p95 40 s)\n"
                   "Status: LOW BUDGET") != std::string::npos);
}

TEST_CASE("budget text: a partial result holds the last answer and the last result", "[budget]") {
    BudgetMeter meter;
    CHECK(partial_result(meter).empty());
    meter.words().message = "half\n\"done\"\x01";
    meter.words().message_is_newer = true;
    CHECK(partial_result(meter).kept ==
          R"({"partial":true,"message":"half\u000a\"done\"\u0001","newest":"message"})");
    meter.words().tool = "bash";
    meter.words().result = R"({"rows":3})";
    meter.words().result_is_json = true;
    meter.words().message_is_newer = false;
    CHECK(partial_result(meter).kept ==
          R"({"partial":true,"message":"half\u000a\"done\"\u0001","tool":"bash",)"
          R"("tool_result":{"rows":3},"newest":"tool_result"})");
}
