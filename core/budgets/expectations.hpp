// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/sketch.hpp"
#include "core/budgets/budget_history.hpp"
#include "core/events/session_payloads.hpp"
#include "core/meters/budget_settings.hpp"

// How much the sessions of an agent type usually use, and how long their calls usually take;
// learned from ended sessions. Expectations are shown, and suggest budgets; no verdict, directive
// or fold reads them. Pure.

namespace headway::core {

/// Use of the sessions of one agent type, from the sessions that count (learn()).
struct UseSketches {
    Sketch elapsed_ms;  ///< of the clocks that count
    Sketch steps;
    Sketch tokens;
    Sketch cost_micros;
    bool operator==(const UseSketches&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("elapsed_ms", &UseSketches::elapsed_ms), field("steps", &UseSketches::steps),
            field("tokens", &UseSketches::tokens), field("cost_micros", &UseSketches::cost_micros));
    }
};

bool is_valid(const UseSketches& sketches) noexcept;

/// Adds an ended session: its use if completed, or twice its use if its budget ran out, since the
/// session would have gone on. Other sessions are left out: their need is unknown.
void learn(UseSketches& sketches, const UseRecord& record);

struct Quantiles {
    std::uint64_t p50 = 0;
    std::uint64_t p90 = 0;
    std::uint64_t p95 = 0;
    bool operator==(const Quantiles&) const = default;
};

/// Nothing until enough sessions have contributed.
std::optional<Quantiles> quantiles_of(const Sketch& sketch);

/// How long the calls of one tool took.
struct ExpectedCall {
    std::string tool;
    std::uint64_t sessions = 0;   ///< sessions that have contributed
    std::optional<Quantiles> ms;  ///< absent with too few sessions
};

/// Expectations sent to a reader with the session.
struct SessionExpectations {
    std::vector<ExpectedCall> calls;  ///< of tools in flight with enough sessions
    std::string usual_calls;          ///< usual_calls_text(), near the end of a budget
};

/// A budget for a new session.
struct BudgetSuggestion {
    BudgetLimits limits;         ///< within the bounds; empty with too few sessions
    std::uint64_t sessions = 0;  ///< sessions it is based on
    /// True if it comes from sessions of the same complexity, not from all of the agent type.
    bool by_complexity = false;
};

/// A budget from the sessions of the same complexity, if there are enough: their p90 plus a
/// quarter. Otherwise from all of the agent type: p75 plus a quarter for a low complexity, twice
/// p95 for a high one, p90 plus a quarter otherwise. Tokens and costs are limited only where
/// sessions report them.
BudgetSuggestion suggest_budget(const UseSketches& all, const UseSketches& alike,
                                std::optional<Complexity> complexity, const BudgetBounds& bounds);

/// "bash 2 s (p95 40 s), read 50 ms (p95 1 s)": at most limits::kUsualCallsShownMax of these calls.
/// The text is for another agent's prompt, so only names of letters, digits and - _ . : / are
/// shown, at most limits::kUsualNameBytesMax long: a name must not carry instructions. Empty if no
/// call is left.
std::string usual_calls_text(const std::vector<ExpectedCall>& calls);

/// "850 ms", "40 s", "3 min", "2 h".
std::string duration_text(std::uint64_t ms);

}  // namespace headway::core
