// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/state/session_state.hpp"

// How much ended sessions used, and predictions from these amounts. Pure.

namespace headway::core {

/// One ended session.
struct UseRecord {
    std::string agent;  ///< the agent's type, or empty
    Outcome outcome = Outcome::kCompleted;
    Timestamp ended_at = kNever;
    std::uint64_t elapsed_ms = 0;  ///< sum of the times that the budget counted
    std::uint64_t steps = 0;
    std::uint64_t tokens = 0;
    std::uint64_t cost_micros = 0;
    bool operator==(const UseRecord&) const = default;
};

/// The record of a session, which must have ended.
UseRecord use_record_of(const SessionState& state);

/// Nearest-rank percentile: the smallest value such that at least `percent` % of the values are at
/// or below it; 0 without values.
std::uint64_t percentile(std::vector<std::uint64_t> values, unsigned percent);

struct Percentiles {
    std::uint64_t p50 = 0;
    std::uint64_t p90 = 0;
};

/// Summary of the ended sessions of one agent type that have one outcome.
struct UseSummary {
    std::string agent;
    Outcome outcome = Outcome::kCompleted;
    std::uint64_t count = 0;
    Percentiles elapsed_ms;
    Percentiles steps;
    Percentiles tokens;
    Percentiles cost_micros;
};

/// One summary for each agent type and outcome, sorted by both.
std::vector<UseSummary> summarize(std::span<const UseRecord> records);

/// The expected further steps, or seconds, until the session completes.
struct Forecast {
    /// Number of completed sessions that used at least as much as this one has used so far.
    std::uint64_t samples = 0;
    std::uint64_t p10 = 0;
    std::uint64_t p50 = 0;
    std::uint64_t p90 = 0;
};

struct BudgetPrediction {
    std::string agent;
    /// Number of completed sessions of this agent type from which the prediction is made.
    std::uint64_t history = 0;
    /// Further steps; absent if no completed session used as many steps as this one.
    std::optional<Forecast> steps;
    std::optional<Forecast> seconds;
};

/// A prediction for an agent type needs at least this many completed sessions of the type.
inline constexpr std::size_t kPredictionHistoryMin = 5;

/// A prediction from the records of the session's agent type. `steps` and `elapsed_ms` are the
/// session's use so far. Only completed sessions are used: how much the other sessions would have
/// needed is unknown.
BudgetPrediction predict(const std::string& agent, std::span<const UseRecord> records,
                         std::uint64_t steps, std::uint64_t elapsed_ms);

}  // namespace headway::core
