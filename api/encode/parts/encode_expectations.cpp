// SPDX-License-Identifier: Apache-2.0
#include "api/encode/parts/encode_expectations.hpp"

#include <algorithm>

#include "api/json/json_writer.hpp"
#include "core/base/limits.hpp"
#include "core/budgets/budget.hpp"

namespace headway::api {
namespace {

template <class Shown>
void write_quantiles(JsonWriter& json, std::string_view name,
                     const std::optional<core::Quantiles>& quantiles, Shown shown) {
    json.key(name);
    if (!quantiles) {
        json.null();
        return;
    }
    json.open_object();
    json.member("p50", shown(quantiles->p50));
    json.member("p90", shown(quantiles->p90));
    json.member("p95", shown(quantiles->p95));
    json.close_object();
}

std::uint64_t as_is(std::uint64_t value) {
    return value;
}

void write_suggestion(JsonWriter& json, const core::BudgetSuggestion& suggestion) {
    json.key("suggested");
    if (suggestion.limits == core::BudgetLimits{}) {
        json.null();
        return;
    }
    json.open_object();
    json.member("budget", suggestion.limits);
    json.member("sessions", suggestion.sessions);
    json.member("basis", suggestion.by_complexity ? "complexity" : "agent");
    json.close_object();
}

void write_tools(JsonWriter& json, std::span<const core::ExpectedCall> tools) {
    json.key("tools");
    json.open_array();
    for (const core::ExpectedCall& tool : tools) {
        json.open_object();
        json.member("tool", tool.tool);
        json.member("sessions", tool.sessions);
        write_quantiles(json, "ms", tool.ms, as_is);
        json.close_object();
    }
    json.close_array();
}

void write_agent(JsonWriter& json, const AgentExpectation& expected) {
    json.open_object();
    json.member("agent", expected.agent);
    json.member("sessions", expected.sessions);
    write_quantiles(json, "seconds", expected.elapsed_ms,
                    [](std::uint64_t ms) { return ms / 1000; });
    write_quantiles(json, "steps", expected.steps, as_is);
    write_quantiles(json, "tokens", expected.tokens, as_is);
    write_quantiles(json, "cost_usd", expected.cost_micros, core::dollars);
    write_suggestion(json, expected.suggestion);
    if (expected.tools) write_tools(json, *expected.tools);
    if (!expected.steps) {
        json.member("reason", "too few sessions: " + std::to_string(expected.sessions) +
                                  " of the " +
                                  std::to_string(core::limits::kExpectationSessionsMin) +
                                  " that are needed have ended");
    }
    json.close_object();
}

}  // namespace

void write_in_flight(JsonWriter& json, std::span<const core::OpenCall> open,
                     std::span<const core::ExpectedCall> expected) {
    json.key("in_flight");
    json.open_array();
    for (const core::OpenCall& call : open) {
        json.open_object();
        json.members(call);
        const auto known = std::find_if(expected.begin(), expected.end(), [&call](const auto& one) {
            return one.tool == call.tool && one.ms.has_value();
        });
        if (known != expected.end()) {
            json.key("expected");
            json.open_object();
            json.member("p50_ms", known->ms->p50);
            json.member("p95_ms", known->ms->p95);
            json.member("sessions", known->sessions);
            json.close_object();
        }
        json.close_object();
    }
    json.close_array();
}

void append_expectations(std::string& out, const Expectations& expectations) {
    JsonWriter json{out};
    json.open_object();
    json.key("expectations");
    json.open_array();
    for (const AgentExpectation& expected : expectations.agents)
        write_agent(json, expected);
    json.close_array();
    json.member("complexity", expectations.complexity);
    json.member("sessions_min", core::limits::kExpectationSessionsMin);
    json.close_object();
}

}  // namespace headway::api
