// SPDX-License-Identifier: Apache-2.0
#include "core/budgets/expectations.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/budgets/cost_text.hpp"
#include "core/meters/budget_meter.hpp"

namespace headway::core {
namespace {

constexpr std::uint64_t kMicrosPerDollar = 1'000'000;

/// How a suggestion follows from what was used.
struct Headroom {
    unsigned quantile = 90;
    std::uint64_t percent = 125;  ///< of the quantile
};

Headroom headroom_of(std::optional<Complexity> complexity) {
    if (complexity == Complexity::kLow) return {75, 125};
    if (complexity == Complexity::kHigh) return {95, 200};
    return {90, 125};
}

std::uint64_t with_headroom(const Sketch& sketch, const Headroom& headroom) {
    HEADWAY_ASSERT(headroom.quantile <= 100 && headroom.percent >= 100);
    const std::uint64_t usual = std::min(sketch.quantile(headroom.quantile), kBudgetCountMax);
    return (usual * headroom.percent + 99) / 100;
}

/// Nothing for what sessions do not report.
std::optional<std::uint64_t> upper(const Sketch& sketch, const Headroom& headroom,
                                   std::uint64_t max) {
    const std::uint64_t amount = with_headroom(sketch, headroom);
    if (amount == 0) return std::nullopt;
    return std::min(amount, max);
}

BudgetLimits limits_from(const UseSketches& use, const Headroom& headroom,
                         const BudgetBounds& bounds) {
    HEADWAY_ASSERT(bounds.timeout_seconds_min <= bounds.timeout_seconds_max);
    HEADWAY_ASSERT(bounds.max_steps_min <= bounds.max_steps_max);
    BudgetLimits limits;
    limits.timeout_seconds = std::clamp((with_headroom(use.elapsed_ms, headroom) + 999) / 1000,
                                        bounds.timeout_seconds_min, bounds.timeout_seconds_max);
    limits.max_steps =
        std::clamp(with_headroom(use.steps, headroom), bounds.max_steps_min, bounds.max_steps_max);
    limits.max_tokens = upper(use.tokens, headroom,
                              bounds.max_tokens_max != 0 ? bounds.max_tokens_max : kMaxTokensMax);
    const double cost_max = bounds.max_cost_usd_max != 0 ? bounds.max_cost_usd_max : kMaxCostUsdMax;
    const auto micros =
        use.cost_micros.ready() ? upper(use.cost_micros, headroom, UINT64_MAX) : std::nullopt;
    if (micros) {
        limits.max_cost_usd = std::min(
            static_cast<double>(*micros) / static_cast<double>(kMicrosPerDollar), cost_max);
    }
    return limits;
}

void learn_one(Sketch& sketch, std::uint64_t value, std::uint64_t times) {
    Samples one;
    one.add(std::min(value, kBudgetCountMax) * times);
    sketch.learn(one);
}

bool is_plain(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == ':' || c == '/';
}

bool is_plain_name(std::string_view name) {
    return !name.empty() && name.size() <= limits::kUsualNameBytesMax &&
           std::all_of(name.begin(), name.end(), is_plain);
}

std::string count_of(std::uint64_t value, std::uint64_t unit, const char* name) {
    return std::to_string((value + unit / 2) / unit) + " " + name;
}

}  // namespace

bool is_valid(const UseSketches& sketches) noexcept {
    return is_valid(sketches.elapsed_ms) && is_valid(sketches.steps) && is_valid(sketches.tokens) &&
           is_valid(sketches.cost_micros);
}

void learn(UseSketches& sketches, const UseRecord& record) {
    const bool spent = record.outcome == Outcome::kBudgetExhausted;
    if (!spent && record.outcome != Outcome::kCompleted) return;
    const std::uint64_t times = spent ? 2 : 1;
    learn_one(sketches.elapsed_ms, record.elapsed_ms, times);
    learn_one(sketches.steps, record.steps, times);
    learn_one(sketches.tokens, record.tokens, times);
    if (record.cost_micros != kUnknownCost)
        learn_one(sketches.cost_micros, record.cost_micros, times);
    HEADWAY_ASSERT(sketches.steps.sessions > 0 && sketches.elapsed_ms.sessions > 0);
}

std::optional<Quantiles> quantiles_of(const Sketch& sketch) {
    if (!sketch.ready()) return std::nullopt;
    const Quantiles all{sketch.quantile(50), sketch.quantile(90), sketch.quantile(95)};
    HEADWAY_ASSERT(all.p50 <= all.p90 && all.p90 <= all.p95);
    return all;
}

BudgetSuggestion suggest_budget(const UseSketches& all, const UseSketches& alike,
                                std::optional<Complexity> complexity, const BudgetBounds& bounds) {
    BudgetSuggestion suggestion;
    suggestion.by_complexity = complexity.has_value() && alike.steps.ready();
    const UseSketches& from = suggestion.by_complexity ? alike : all;
    suggestion.sessions = from.steps.sessions;
    if (!from.steps.ready() || !from.elapsed_ms.ready()) return suggestion;
    const Headroom headroom = headroom_of(suggestion.by_complexity ? std::nullopt : complexity);
    suggestion.limits = limits_from(from, headroom, bounds);
    HEADWAY_ASSERT(suggestion.limits.max_steps && suggestion.limits.timeout_seconds);
    return suggestion;
}

std::string usual_calls_text(const std::vector<ExpectedCall>& calls) {
    std::string text;
    std::size_t shown = 0;
    for (const ExpectedCall& call : calls) {
        if (!call.ms || !is_plain_name(call.tool)) continue;
        if (++shown > limits::kUsualCallsShownMax) break;
        text += (text.empty() ? "" : ", ") + call.tool + " " + duration_text(call.ms->p50) +
                " (p95 " + duration_text(call.ms->p95) + ")";
    }
    HEADWAY_ASSERT(text.size() <= limits::kUsualCallsShownMax * (limits::kUsualNameBytesMax + 64));
    return text;
}

std::string duration_text(std::uint64_t ms) {
    constexpr std::uint64_t kSecond = 1000;
    constexpr std::uint64_t kMinute = 60 * kSecond;
    constexpr std::uint64_t kHour = 60 * kMinute;
    if (ms < kSecond) return std::to_string(ms) + " ms";
    if (ms < 2 * kMinute) return count_of(ms, kSecond, "s");
    if (ms < 2 * kHour) return count_of(ms, kMinute, "min");
    return count_of(ms, kHour, "h");
}

}  // namespace headway::core
