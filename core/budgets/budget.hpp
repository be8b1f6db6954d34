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
    /// True if at least this percentage of the limit is used; false without a limit. Computed
    /// exactly, without rounding.
    bool reaches(std::uint64_t percent) const;
    /// The unused part of the limit; 0 if there is no limit, or the limit is exceeded.
    std::uint64_t left() const;
};

/// `percent` rounded down to one decimal place: 69.9 for 69.96, not 70. Pure.
double shown_percent(double percent);

/// All figures of a budget at one moment.
struct BudgetStatus {
    BudgetLevel level = BudgetLevel::kNominal;
    BudgetDimension dimension = BudgetDimension::kNone;  ///< the worst dimension
    BudgetSource source = BudgetSource::kNone;           ///< source of the limits
    double pressure = 0;                                 ///< pressure of `dimension`, in percent
    BudgetFigure time;  ///< Sum of the times that the budget counts, in ms
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
    UseParts parts;  ///< parts of `tokens` and `cost`
    /// Steps, tokens and cost of children. The figures above include these if BudgetRules::roll_up
    /// is set.
    BudgetUse children;
    Millis extension{0};  ///< extra time beyond the limit for calls in flight; 0 = none

    std::uint64_t elapsed_seconds() const { return time.used / 1000; }
    /// The limit minus elapsed_seconds(); 0 beyond the limit; nothing without a limit.
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

/// The next time at which elapsed time alone raises the level or exhausts the budget; kNever if
/// there is none.
Timestamp budget_deadline(const SessionState& state, const Watch& watch);

/// True if nothing more may be used: the time, the tokens or the cost are used up, or the agent
/// took a step beyond the limit. The extension for calls in flight is part of the time.
bool is_spent(const BudgetStatus& status);

/// True during the first steps of a session with a limit of 0. A session has such a limit if its
/// earlier generation used up the budget. Its calls are refused, but it stays open so that a person
/// can extend the budget.
bool waits_for_extension(const BudgetStatus& status);

/// True if a call with this id is in flight.
bool in_flight(const SessionState& state, std::string_view call_id);

/// `limits` plus `added`. A resource without a limit stays unlimited.
BudgetLimits extended_limits(const BudgetLimits& limits, const BudgetLimits& added);

/// `usd` in whole millionths of a dollar: at least 0, at most kBudgetCountMax.
std::uint64_t cost_micros(double usd);
/// Converts millionths of a dollar to dollars.
double dollars(std::uint64_t micros);

/// The key of a child session in ChildUse::child.
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
/// `child` without the usage that the meter `counted` already includes. Pure.
ChildProgress without_counted(ChildProgress child, const BudgetMeter& counted);
/// True if the progress reports no usage at all. Pure.
bool is_use_of_nothing(const ChildProgress& child);
/// True if the child is one of the open children of `parent`. Pure.
bool knows_child(const BudgetMeter& parent, const ChildProgress& child);
/// True if `child` would change the parent's figures.
bool child_moved(const BudgetMeter& parent, const ChildProgress& child);
/// True if `child` would change the parent's figures substantially. This is so in any of these
/// cases: the child is new to the parent; it has ended; the counts of its own descendants changed;
/// its tokens or cost grew by more than a quarter. If the parent already has limits::kChildrenMax
/// open children, a new child is included only when it has just been opened (`opened`). In a family
/// without limits, smaller changes are not recorded. Pure.
bool child_moved_far(const BudgetMeter& parent, const ChildProgress& child, bool opened);

}  // namespace headway::core
