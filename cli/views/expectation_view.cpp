// SPDX-License-Identifier: Apache-2.0
#include "cli/views/expectation_view.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/views/event_line.hpp"
#include "cli/views/table.hpp"

namespace headway::cli {
namespace {

std::string duration_of(std::uint64_t ms) {
    constexpr std::uint64_t kLongest = 1ULL << 50;
    return human_duration(
        std::chrono::milliseconds{static_cast<std::int64_t>(std::min(ms, kLongest))});
}

/// "p50 / p95", or a dash.
template <class Shown>
std::string pair_of(const Json& quantiles, Shown shown) {
    if (!quantiles.is_object()) return "-";
    return shown(quantiles["p50"]) + " / " + shown(quantiles["p95"]);
}

std::string seconds(const Json& value) {
    return duration_of(value.count() * 1000);
}

std::string milliseconds_text(const Json& value) {
    return duration_of(value.count());
}

std::string plain_number(const Json& value) {
    return plain_text(value);
}

std::string suggested_of(const Json& expected) {
    const Json& budget = expected["suggested"]["budget"];
    if (!budget.is_object()) return plain_text(expected, "reason");
    std::string text = duration_of(budget.count_of("timeout_seconds") * 1000) + ", " +
                       plain_text(budget, "max_steps") + " steps";
    if (budget.contains("max_tokens")) text += ", " + plain_text(budget, "max_tokens") + " tokens";
    if (budget.contains("max_cost_usd")) text += ", $" + plain_text(budget, "max_cost_usd");
    return text;
}

std::string tools_table(const Json& tools, std::size_t width) {
    std::vector<std::vector<Cell>> rows;
    for (const Json& tool : tools) {
        rows.push_back({{plain_text(tool, "tool"), {}},
                        {plain_text(tool, "sessions"), {}},
                        {pair_of(tool["ms"], milliseconds_text), {}}});
    }
    return "\n" + format_table({{"TOOL", true}, {"SESSIONS"}, {"CALL p50 / p95"}}, rows, width);
}

}  // namespace

std::string expectations_text(const Json& reply, std::size_t width) {
    const Json& all = reply["expectations"];
    if (all.empty()) return "no session has ended yet\n";
    const std::vector<Column> columns{{"AGENT", true},     {"SESSIONS"},       {"TIME p50 / p95"},
                                      {"STEPS p50 / p95"}, {"COST p50 / p95"}, {"SUGGESTED", true}};
    std::vector<std::vector<Cell>> rows;
    std::string tools;
    for (const Json& expected : all) {
        const std::string agent = plain_text(expected, "agent");
        rows.push_back({{agent.empty() ? "(none)" : agent, {}},
                        {plain_text(expected, "sessions"), {}},
                        {pair_of(expected["seconds"], seconds), {}},
                        {pair_of(expected["steps"], plain_number), {}},
                        {pair_of(expected["cost_usd"], plain_number), {}},
                        {suggested_of(expected), {}}});
        if (!expected["tools"].empty()) tools += tools_table(expected["tools"], width);
    }
    return format_table(columns, rows, width) + tools;
}

std::string expected_of_call(const Json& call, WallTime now) {
    const Json& expected = call["expected"];
    const auto since = parse_time(plain_text(call, "since"));
    if (!expected.is_object() || !since) return {};
    const std::string p95 = duration_of(expected.count_of("p95_ms"));
    const auto age = std::max(std::chrono::duration_cast<std::chrono::milliseconds>(now - *since),
                              std::chrono::milliseconds{0});
    if (static_cast<std::uint64_t>(age.count()) <= expected.count_of("p95_ms")) {
        return "usually " + duration_of(expected.count_of("p50_ms")) + ", p95 " + p95;
    }
    return "p95 of " + plain_text(call, "tool") + " here is " + p95 + ", this one is at " +
           human_duration(age);
}

}  // namespace headway::cli
