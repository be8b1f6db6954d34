// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/session_state.hpp"
#include "core/watch.hpp"

// What a session has used of its budget, and what follows (DESIGN 6 "Budget"). The formulas are
// those of the first design: used = 100 * value / limit, pressure = the worst of them. All pure.

namespace headway::core {

/// One dimension: time in ms, steps, tokens, or cost in millionths of a dollar.
struct BudgetFigure {
    std::uint64_t used = 0;
    std::optional<std::uint64_t> limit;

    /// 0 without a limit; a limit of 0 is used up.
    double percent() const;
    /// Whether at least so many percent of the limit are used; exact.
    bool reaches(std::uint64_t percent) const;
    /// 0 without a limit and beyond it.
    std::uint64_t left() const;
};

/// Every figure at one moment.
struct BudgetStatus {
    BudgetLevel level = BudgetLevel::kNominal;
    BudgetDimension dimension = BudgetDimension::kNone;  ///< the worst one
    BudgetSource source = BudgetSource::kNone;           ///< of the limits
    double pressure = 0;                                 ///< percent of it
    BudgetFigure time;                                   ///< of the clocks that count
    BudgetFigure steps;
    BudgetFigure tokens;
    BudgetFigure cost;
    Millis model{0};
    Millis tool{0};
    Millis human{0};
    Millis rate_limit{0};
    std::uint64_t children_open = 0;
    std::uint64_t children_ended = 0;
    std::uint64_t children_uncounted = 0;
    BudgetUse children;   ///< part of the figures above when they roll up
    Millis extension{0};  ///< beyond the time limit, for calls in flight; 0 = none

    std::uint64_t elapsed_seconds() const { return time.used / 1000; }
    /// So that it and elapsed_seconds() add up to the limit.
    std::optional<std::uint64_t> remaining_seconds() const;
    std::optional<std::uint64_t> steps_remaining() const;
};

/// At `now`, Headway having listened as `watch` says; an ended session stays at its end.
BudgetStatus budget_status(const SessionState& state, Timestamp now, const Watch& watch);

/// Model turns of the session itself: rounds of its calls, or the highest iteration it reported.
std::uint64_t own_steps(const SessionState& state);

/// How much of the time since the last event nobody listened for: all until Headway started or woke
/// up, where it did so after it, and its gaps.
Millis unheard_gap(const SessionState& state, const Watch& watch);

/// When the time that passes raises the level next, or is used up; kNever when it does neither.
Timestamp budget_deadline(const SessionState& state, const Watch& watch);

/// Whether nothing may be used any more: time (with what calls in flight may take beyond it),
/// tokens or cost are used up, or a step more than the last one was taken.
bool is_spent(const BudgetStatus& status);

/// Whether a call of that id is under way.
bool in_flight(const SessionState& state, std::string_view call_id);

/// `added` on top of what is limited; what has no limit stays without.
BudgetLimits extended_limits(const BudgetLimits& limits, const BudgetLimits& added);

/// In whole millionths of a dollar, never negative, at most kBudgetCountMax.
std::uint64_t cost_micros(double usd);

std::uint64_t child_key(std::string_view id);
BudgetUse added(const BudgetUse& a, const BudgetUse& b);

/// What its parent's journal says about a session: totals, its own children included.
ChildProgress child_progress_of(const std::string& id, const SessionState& child, Timestamp now,
                                const Watch& watch);
/// Whether the parent's figures would change.
bool child_moved(const BudgetMeter& parent, const ChildProgress& child);

}  // namespace headway::core
