// SPDX-License-Identifier: Apache-2.0
#include "core/budgets/day_budget.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "core/base/assert.hpp"
#include "core/budgets/budget.hpp"
#include "core/budgets/cost_text.hpp"

namespace headway::core {
namespace {

constexpr std::int64_t kDay = 24LL * 3600 * 1000;
constexpr std::string_view kPause = "The budget of the day is used up: ";

bool reaches(std::uint64_t used, const std::optional<std::uint64_t>& limit, std::uint64_t percent) {
    return BudgetFigure{used, limit}.reaches(percent);
}

}  // namespace

std::int64_t day_of(Timestamp at, Millis starts) {
    const std::int64_t ms = (at - Timestamp{}).count() - starts.count();
    return ms >= 0 ? ms / kDay : -((-ms + kDay - 1) / kDay);
}

Timestamp day_begins(std::int64_t day, Millis starts) {
    return Timestamp{} + Millis{day * kDay} + starts;
}

std::string day_name(std::int64_t day) {
    const std::chrono::year_month_day date{
        std::chrono::sys_days{std::chrono::days{static_cast<int>(day)}}};
    char text[16];
    const int size =
        std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()),
                      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
    HEADWAY_ASSERT(size > 0 && static_cast<std::size_t>(size) < sizeof text);
    return text;
}

std::optional<std::uint64_t> token_limit(const DayCap& cap, const DayUse& use) {
    if (!cap.max_tokens) return std::nullopt;
    return std::min(*cap.max_tokens, kBudgetCountMax) + std::min(use.more_tokens, kBudgetCountMax);
}

std::optional<std::uint64_t> cost_limit(const DayCap& cap, const DayUse& use) {
    if (!cap.max_cost_usd) return std::nullopt;
    return cost_micros(*cap.max_cost_usd) + std::min(use.more_micros, kBudgetCountMax);
}

DayLevel day_level(const DayCap& cap, const DayUse& use) {
    const auto any = [&](std::uint64_t percent) {
        return reaches(use.tokens, token_limit(cap, use), percent) ||
               reaches(use.cost_micros, cost_limit(cap, use), percent);
    };
    if (any(100)) return use.lifted ? DayLevel::kWarned : DayLevel::kReached;
    return any(kDayWarnPercent) ? DayLevel::kWarned : DayLevel::kNominal;
}

std::string day_scope(const DayCap& cap) {
    return cap.label.empty() ? "all sessions" : "sessions with " + cap.label;
}

std::string day_figures(const DayCap& cap, const DayUse& use) {
    std::string text;
    if (const auto limit = cost_limit(cap, use)) {
        text = (use.unpriced > 0 ? "at least " : "") + dollar_text(use.cost_micros) + " of " +
               dollar_text(*limit);
    }
    if (const auto limit = token_limit(cap, use)) {
        text += (text.empty() ? "" : " and ") + std::to_string(use.tokens) + " of " +
                std::to_string(*limit) + " tokens";
    }
    return text + " were used today by " + day_scope(cap);
}

std::string day_pause_reason(const DayCap& cap, const DayUse& use) {
    return std::string{kPause} + day_figures(cap, use) +
           ". Wait until a person lets you go on, or until the next day.";
}

bool is_day_pause(std::string_view reason) {
    return reason.starts_with(kPause);
}

}  // namespace headway::core
