// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/state/session_state.hpp"
#include "core/values/watch.hpp"

// How much of a session's budget is used, and the consequences (api/API.md, "Budgets"). The
// percentage used is 100 * value / limit; the pressure is its maximum over the dimensions. All
// functions are pure.

namespace headway::core {

/// One dimension: time in ms, steps, tokens, or cost in millionths of a dollar.
struct BudgetFigure {
    std::uint64_t used = 0;
    std::optional<std::uint64_t> limit;

    /// The used percentage; 0 without a limit; 100 for a limit of 0, which is always used up.
    double percent() const;
    /// True if at least this percentage of the limit is used. Computed exactly, without rounding.
    bool reaches(std::uint64_t percent) const;
    /// The unused part of the limit; 0 if there is no limit, or it is exceeded.
    std::uint64_t left() const;
};

/// `percent` rounded down to one decimal place: 69.9 for 69.96, not 70. Pure.
double shown_percent(double percent);

/// Every figure at one moment.
struct BudgetStatus {
    BudgetLevel level = BudgetLevel::kNominal;
    BudgetDimension dimension = BudgetDimension::kNone;  ///< the worst dimension
    BudgetSource source = BudgetSource::kNone;           ///< source of the limits
    double pressure = 0;                                 ///< pressure of `dimension`, in percent
    BudgetFigure time;                                   ///< sum of the times that the budget
                                                         ///< counts
    BudgetFigure steps;
    BudgetFigure tokens;
    BudgetFigure cost;
    Millis model{0};
    Millis tool{0};
    Millis human{0};
    Millis rate_limit{0};
    std::uint64_t children_open = 0;
    std::uint64_t children_ended = 0;
    std::uint64_t children_evicted = 0;
    UseParts parts;       ///< parts of `tokens` and `cost`
    BudgetUse children;   ///< steps, tokens and cost of children; included in the figures above if
                          ///< they roll up
    Millis extension{0};  ///< extra time beyond the limit for calls in flight; 0 = none

    std::uint64_t elapsed_seconds() const { return time.used / 1000; }
    /// The limit less elapsed_seconds(); 0 beyond the limit.
    std::optional<std::uint64_t> remaining_seconds() const;
    std::optional<std::uint64_t> steps_remaining() const;
};

/// The figures at `now`. Time in which Headway was not listening (`watch`) is not charged. An ended
/// session keeps the figures that it had when it ended.
BudgetStatus budget_status(const SessionState& state, Timestamp now, const Watch& watch);

/// Model turns of the session itself: its number of rounds or its highest iteration, whichever is
/// greater.
std::uint64_t own_steps(const SessionState& state);

/// How long Headway has not listened since the last event: before it started or woke up, and in its
/// attention gaps. 0 if this is less than a second.
Millis unheard_gap(const SessionState& state, const Watch& watch);

/// The next time at which the level rises, or the budget is exhausted, by elapsed time alone;
/// kNever if there is none.
Timestamp budget_deadline(const SessionState& state, const Watch& watch);

/// True if nothing more may be used: the time, the tokens or the cost are used up, or the agent
/// took a step beyond the limit. The extension for calls in flight is part of the time.
bool is_spent(const BudgetStatus& status);

/// True for the first steps of a session with a limit of 0, because the one that it goes on from
/// used all of it: its calls are refused, and it stays open so that a person can extend the budget.
bool waits_for_extension(const BudgetStatus& status);

/// True if a call with this id is in flight.
bool in_flight(const SessionState& state, std::string_view call_id);

/// `limits` plus `added`. A resource without a limit stays unlimited.
BudgetLimits extended_limits(const BudgetLimits& limits, const BudgetLimits& added);

/// `usd` in whole millionths of a dollar: at least 0, at most kBudgetCountMax.
std::uint64_t cost_micros(double usd);
/// Converts millionths of a dollar to dollars.
double dollars(std::uint64_t micros);

std::uint64_t child_key(std::string_view id);
BudgetUse added(const BudgetUse& a, const BudgetUse& b);
UseParts added(const UseParts& a, const UseParts& b);
/// `from` without `part`, at least 0. Pure.
BudgetUse taken_out(BudgetUse from, const BudgetUse& part);
/// The last totals of an open child, which may have been evicted; null if none are known. Pure.
const ChildUse* counted_child(const BudgetMeter& parent, std::uint64_t key);

/// The totals of `child`, including its own children, as its parent's journal records them.
ChildProgress child_progress_of(const std::string& id, const SessionState& child, Timestamp now,
                                const Watch& watch);
/// `child` without the part that `counted` has already counted. Pure.
ChildProgress without_counted(ChildProgress child, const BudgetMeter& counted);
/// True if the progress has no use. Pure.
bool is_use_of_nothing(const ChildProgress& child);
/// True if the child is one of the open children of `parent`. Pure.
bool knows_child(const BudgetMeter& parent, const ChildProgress& child);
/// True if `child` would change the parent's figures.
bool child_moved(const BudgetMeter& parent, const ChildProgress& child);
/// True if `child` would change the parent's figures substantially. This is so if the child has
/// just been opened (`opened`), has ended or has launched children of its own, or if its tokens or
/// cost grew by a quarter. In a family without limits, smaller changes are not recorded. Pure.
bool child_moved_far(const BudgetMeter& parent, const ChildProgress& child, bool opened);

}  // namespace headway::core
