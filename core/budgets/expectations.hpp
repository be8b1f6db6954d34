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

// How much the sessions of an agent type usually use, and how long their calls usually take; both
// are learned from ended sessions. Expectations are shown to people and used to suggest budgets; no
// verdict, directive or fold reads them. Functions change only arguments.

namespace headway::core {

/// The resources used by sessions of one agent type. learn() decides which sessions are included.
struct UseSketches {
    Sketch elapsed_ms;  ///< sum of the times that the budget counted
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

/// Adds an ended session. A completed session adds the amounts that it used. A session whose budget
/// ran out adds twice these amounts, since it would have gone on. Other sessions are left out: how
/// much they would have needed is unknown.
void learn(UseSketches& sketches, const UseRecord& record);

struct Quantiles {
    std::uint64_t p50 = 0;
    std::uint64_t p90 = 0;
    std::uint64_t p95 = 0;
    bool operator==(const Quantiles&) const = default;
};

/// The quantiles; nothing until enough sessions have contributed.
std::optional<Quantiles> quantiles_of(const Sketch& sketch);

/// How long the calls of one tool took.
struct ExpectedCall {
    std::string tool;
    std::uint64_t sessions = 0;   ///< sessions that have contributed
    std::optional<Quantiles> ms;  ///< durations; absent if there are too few sessions
};

/// Expectations that are shown together with a session.
struct SessionExpectations {
    /// Usual durations for the tools of the calls in flight; only tools that enough sessions have
    /// used.
    std::vector<ExpectedCall> calls;
    std::string usual_calls;  ///< usual_calls_text(), only near the end of a budget
};

/// A budget for a new session.
struct BudgetSuggestion {
    BudgetLimits limits;         ///< within the bounds; empty if there are too few sessions
    std::uint64_t sessions = 0;  ///< number of sessions from which the suggestion is made
    /// True if the suggestion is based on sessions of the same complexity, false if it is based on
    /// all sessions of the agent type.
    bool by_complexity = false;
};

/// Suggests a budget. If there are enough sessions of the same complexity (`alike`), the suggestion
/// is their p90 plus a quarter. Otherwise it is based on all sessions of the agent type: p75 plus a
/// quarter for a low complexity, twice p95 for a high one, p90 plus a quarter for all others.
/// Tokens and cost get a limit only if sessions report them.
BudgetSuggestion suggest_budget(const UseSketches& all, const UseSketches& alike,
                                std::optional<Complexity> complexity, const BudgetBounds& bounds);

/// "bash 2 s (p95 40 s), read 50 ms (p95 1 s)": at most limits::kUsualCallsShownMax of these calls.
/// The text enters another agent's prompt, so a name must not carry instructions. A name is left
/// out if it is longer than limits::kUsualNameBytesMax, or if it has characters other than letters,
/// digits and `-_.:/`. Empty if no name is left.
std::string usual_calls_text(const std::vector<ExpectedCall>& calls);

/// "850 ms", "40 s", "3 min", "2 h".
std::string duration_text(std::uint64_t ms);

}  // namespace headway::core
