// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.hpp"
#include "core/events/budget_payloads.hpp"

// Caps on the tokens and the cost of all sessions together on one day (docs/costs.md). All
// functions are pure.

namespace headway::core {

/// A cap for the sessions with a given label, or for all sessions.
struct DayCap {
    std::string label;  ///< "team=payments"; empty = all sessions
    std::optional<double> max_cost_usd;
    std::optional<std::uint64_t> max_tokens;
    bool is_set() const { return max_cost_usd.has_value() || max_tokens.has_value(); }
    bool operator==(const DayCap&) const = default;
};

struct DayBudget {
    Millis starts{0};  ///< start of the day, counted from midnight UTC
    DayCap all;
    std::vector<DayCap> labels;  ///< caps by label, at most kDayLabelsMax
    bool is_set() const { return all.is_set() || !labels.empty(); }
    bool operator==(const DayBudget&) const = default;
};

/// Maximum number of caps by label. Every report of tokens or cost is checked against each cap.
inline constexpr std::size_t kDayLabelsMax = 32;

/// The number of the day, counted from 1970; each day begins at `starts`.
std::int64_t day_of(Timestamp at, Millis starts);
/// When `day` begins.
Timestamp day_begins(std::int64_t day, Millis starts);
/// "2026-11-27": the date on which `day` begins.
std::string day_name(std::int64_t day);

/// The tokens and the cost that one cap counts on one day, and the amounts that people added to the
/// cap.
struct DayUse {
    std::uint64_t tokens = 0;
    std::uint64_t cost_micros = 0;
    std::uint64_t unpriced = 0;  ///< tokens without a known cost
    std::uint64_t more_tokens = 0;
    std::uint64_t more_micros = 0;
    bool lifted = false;  ///< a person has suspended the cap until the next day
    bool operator==(const DayUse&) const = default;
};

enum class DayLevel : std::uint8_t { kNominal, kWarned, kReached };
template <>
struct EnumNames<DayLevel> {
    static constexpr std::array<std::string_view, 3> kNames{"nominal", "warned", "reached"};
};

/// Percentage of a cap from which people are notified.
inline constexpr std::uint64_t kDayWarnPercent = 80;

/// The limits in force: the cap plus the added amounts.
std::optional<std::uint64_t> token_limit(const DayCap& cap, const DayUse& use);
std::optional<std::uint64_t> cost_limit(const DayCap& cap, const DayUse& use);

/// kReached if the tokens or the cost have reached the limit in force, kWarned from kDayWarnPercent
/// of it. A lifted cap is at most kWarned.
DayLevel day_level(const DayCap& cap, const DayUse& use);

/// "all sessions", or "sessions with team=payments"
std::string day_scope(const DayCap& cap);

/// "$21.50 of $20.00 and 1200 of 5000 tokens were used today by all sessions"; the amount is "at
/// least $21.50" if a part of the cost is unknown.
std::string day_figures(const DayCap& cap, const DayUse& use);

/// The reason for the pause of the sessions under a reached cap. All such reasons begin with the
/// same words.
std::string day_pause_reason(const DayCap& cap, const DayUse& use);
/// True if `reason` is the reason for a pause by a daily cap.
bool is_day_pause(std::string_view reason);
/// The reason given when the daily cap itself ends such a pause. Unlike a resume by a person, a
/// resume with this reason does not lift a stop of the session.
inline constexpr std::string_view kDayReleased = "the budget of the day has room again";

}  // namespace headway::core
