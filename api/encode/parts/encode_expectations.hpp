// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/budgets/expectations.hpp"
#include "core/state/session_state.hpp"

// How much sessions usually use, as JSON text. The functions have no side effects except on their
// reference arguments; shapes as in API.md.

namespace headway::api {

class JsonWriter;

/// Writes `in_flight` of the session document: each call in flight. A call has the expectations for
/// its tool if enough sessions have contributed to them.
void write_in_flight(JsonWriter& json, std::span<const core::OpenCall> open,
                     std::span<const core::ExpectedCall> expected);

/// Expectations for one agent type.
struct AgentExpectation {
    std::string agent;
    std::uint64_t sessions = 0;  ///< sessions that have contributed
    std::optional<core::Quantiles> elapsed_ms;
    std::optional<core::Quantiles> steps;
    std::optional<core::Quantiles> tokens;
    std::optional<core::Quantiles> cost_micros;
    core::BudgetSuggestion suggestion;
    /// Durations by tool; absent in a list of all agent types.
    std::optional<std::vector<core::ExpectedCall>> tools;
};

/// The reply to `GET /v1/analytics/expectations`.
struct Expectations {
    std::vector<AgentExpectation> agents;
    /// The task complexity for which the suggestions are made; unset: any.
    std::optional<core::Complexity> complexity;
};
void append_expectations(std::string& out, const Expectations& expectations);

}  // namespace headway::api
