// SPDX-License-Identifier: Apache-2.0
#include "api/encode/encode_budget.hpp"

#include <cmath>

#include "api/json/json_writer.hpp"
#include "core/budgets/budget.hpp"
#include "core/budgets/budget_text.hpp"
#include "core/budgets/cost_text.hpp"
#include "core/meters/fan_out.hpp"

namespace headway::api {
namespace {

using core::shown_percent;

std::uint64_t seconds(core::Millis span) {
    return static_cast<std::uint64_t>(span.count()) / 1000;
}

bool limited(const core::BudgetStatus& status) {
    return status.time.limit || status.steps.limit || status.tokens.limit || status.cost.limit;
}

void write_time(JsonWriter& json, const core::BudgetStatus& status) {
    json.member("elapsed_seconds", status.elapsed_seconds());
    if (!status.time.limit) return;
    if (status.extension > core::Millis{0})
        json.member("extension_seconds", seconds(status.extension));
    json.member("remaining_seconds", *status.remaining_seconds());
    json.member("timeout_seconds", *status.time.limit / 1000);
    json.member("time_pressure", shown_percent(status.time.percent()));
}

/// Left out where no tokens were told apart.
void write_parts(JsonWriter& json, const core::UseParts& parts) {
    if (parts.input + parts.cached + parts.cache_write + parts.output + parts.reasoning == 0)
        return;
    json.key("token_parts");
    json.open_object();
    json.member("input", parts.input);
    json.member("cached", parts.cached);
    json.member("cache_write", parts.cache_write);
    json.member("output", parts.output);
    json.member("reasoning", parts.reasoning);
    json.close_object();
}

/// A figure, or null.
void write_money(JsonWriter& json, std::string_view name, bool known, std::uint64_t micros) {
    json.key(name);
    if (known) {
        json.value(core::dollars(micros));
    } else {
        json.null();
    }
}

/// The estimated part of a cost, and the number of tokens whose cost is unknown. Only where
/// there is any.
void write_doubt(JsonWriter& json, const core::UseParts& parts) {
    if (parts.estimated_micros > 0)
        json.member("cost_estimated_usd", core::dollars(parts.estimated_micros));
    if (parts.unpriced > 0) json.member("unpriced_tokens", parts.unpriced);
}

void write_cost(JsonWriter& json, const core::BudgetStatus& status, std::string_view warning) {
    const bool known = core::is_shown(core::known_cost(status));
    write_money(json, "cost_used_usd", known, status.cost.used);
    write_doubt(json, status.parts);
    if (!status.cost.limit) return;
    write_money(json, "cost_remaining_usd", known, status.cost.left());
    json.member("max_cost_usd", core::dollars(*status.cost.limit));
    json.key("cost_pressure");
    if (known) {
        json.value(shown_percent(status.cost.percent()));
    } else {
        json.null();
    }
    const std::string doubt = core::cap_doubt(status);
    if (!doubt.empty() || !warning.empty())
        json.member("cost_warning", doubt.empty() ? warning : std::string_view{doubt});
}

void write_counts(JsonWriter& json, const core::BudgetStatus& status,
                  std::string_view cost_warning) {
    json.member("steps_completed", status.steps.used);
    if (status.steps.limit) {
        json.member("steps_remaining", status.steps.left());
        json.member("max_steps", *status.steps.limit);
        json.member("step_pressure", shown_percent(status.steps.percent()));
    }
    json.member("tokens_used", status.tokens.used);
    if (status.tokens.limit) {
        json.member("tokens_remaining", status.tokens.left());
        json.member("max_tokens", *status.tokens.limit);
        json.member("token_pressure", shown_percent(status.tokens.percent()));
    }
    write_parts(json, status.parts);
    write_cost(json, status, cost_warning);
}

void write_clocks(JsonWriter& json, const core::BudgetStatus& status) {
    json.key("clocks");
    json.open_object();
    json.member("model_seconds", seconds(status.model));
    json.member("tool_seconds", seconds(status.tool));
    json.member("human_seconds", seconds(status.human));
    json.member("rate_limit_seconds", seconds(status.rate_limit));
    json.close_object();
}

void write_children(JsonWriter& json, const core::BudgetStatus& status) {
    if (status.children_open + status.children_ended + status.children_evicted == 0) return;
    json.key("children");
    json.open_object();
    json.member("open", status.children_open);
    json.member("ended", status.children_ended);
    json.member("steps", status.children.steps);
    json.member("tokens", status.children.tokens);
    write_parts(json, status.children.parts);
    write_money(json, "cost_usd", core::is_shown(core::known_cost(status.children)),
                status.children.cost_micros);
    write_doubt(json, status.children.parts);
    if (status.children_evicted > 0) json.member("evicted", status.children_evicted);
    json.close_object();
}

void write_forecast(JsonWriter& json, std::string_view name,
                    const std::optional<core::Forecast>& forecast) {
    json.key(name);
    if (!forecast) {
        json.null();
        return;
    }
    json.open_object();
    json.member("p50", forecast->p50);
    json.member("p10", forecast->p10);
    json.member("p90", forecast->p90);
    json.member("samples", forecast->samples);
    json.close_object();
}

std::string doubt(const core::BudgetPrediction& prediction) {
    if (prediction.history < core::kPredictionHistoryMin) {
        return "no history: fewer than " + std::to_string(core::kPredictionHistoryMin) +
               " sessions of this agent type have completed";
    }
    if (!prediction.steps || !prediction.seconds) {
        return "no completed session of this agent type used as much as this one";
    }
    return {};
}

void write_prediction(JsonWriter& json, const core::BudgetPrediction& prediction) {
    json.key("prediction");
    json.open_object();
    json.member("agent", prediction.agent);
    json.member("history", prediction.history);
    write_forecast(json, "steps_to_finish", prediction.steps);
    write_forecast(json, "seconds_to_finish", prediction.seconds);
    if (const std::string why = doubt(prediction); !why.empty()) json.member("reason", why);
    json.close_object();
}

template <class Shown>
void write_percentiles(JsonWriter& json, std::string_view name, const core::Percentiles& values,
                       Shown shown) {
    json.key(name);
    json.open_object();
    json.member("p50", shown(values.p50));
    json.member("p90", shown(values.p90));
    json.close_object();
}

void write_summary(JsonWriter& json, const core::UseSummary& summary) {
    const auto as_is = [](std::uint64_t value) { return value; };
    json.open_object();
    json.member("agent", summary.agent);
    json.member("outcome", summary.outcome);
    json.member("count", summary.count);
    write_percentiles(json, "seconds", summary.elapsed_ms,
                      [](std::uint64_t ms) { return ms / 1000; });
    write_percentiles(json, "steps", summary.steps, as_is);
    write_percentiles(json, "tokens", summary.tokens, as_is);
    if (summary.cost_micros.p50 != core::kUnknownCost) {
        write_percentiles(json, "cost_usd", summary.cost_micros, core::dollars);
    } else {
        json.key("cost_usd");
        json.null();
    }
    json.close_object();
}

}  // namespace

void write_budget(JsonWriter& json, const core::BudgetStatus& status,
                  const core::BudgetPrediction* prediction, std::string_view usual_calls,
                  std::string_view cost_warning) {
    if (!limited(status)) {
        json.null();
        return;
    }
    json.open_object();
    json.member("level", status.level);
    json.member("pressure", shown_percent(status.pressure));
    json.member("dimension", status.dimension);
    json.member("source", status.source);
    json.member("wrap_up", status.level != core::BudgetLevel::kNominal);
    write_time(json, status);
    write_counts(json, status, cost_warning);
    write_clocks(json, status);
    write_children(json, status);
    json.member("prompt", core::budget_prompt(status, usual_calls));
    if (prediction != nullptr) write_prediction(json, *prediction);
    json.close_object();
}

void append_budget(std::string& out, const core::Session& session, const ReadingTime& time,
                   const core::BudgetPrediction& prediction, std::string_view usual_calls,
                   std::string_view cost_warning) {
    JsonWriter json{out};
    json.open_object();
    json.member("session", session.id());
    json.member("n", session.state().n);
    json.key("budget");
    write_budget(json, core::budget_status(session.state(), time.now, time.watch), &prediction,
                 usual_calls, cost_warning);
    json.close_object();
}

void append_budget_analytics(std::string& out, std::span<const core::UseSummary> summaries,
                             std::uint64_t sessions, bool more) {
    JsonWriter json{out};
    json.open_object();
    json.key("budgets");
    json.open_array();
    for (const core::UseSummary& summary : summaries)
        write_summary(json, summary);
    json.close_array();
    json.member("sessions", sessions);
    json.member("more", more);
    json.close_object();
}

void write_used(JsonWriter& json, const core::BudgetMeter& meter) {
    json.key("used");
    json.open_object();
    json.member("tokens", meter.tokens);
    const core::BudgetUse use = core::own_use(meter);
    write_parts(json, use.parts);
    write_money(json, "cost_usd", core::is_shown(core::known_cost(use)), use.cost_micros);
    write_doubt(json, use.parts);
    json.close_object();
}

void write_fan_out(JsonWriter& json, const core::BudgetMeter& meter) {
    const core::FanOut below = core::fan_out_of(meter);
    if (below.all == 0) return;
    core::BudgetUse use = *meter.ended_children;
    for (const core::ChildUse& child : meter.children)
        use = core::added(use, child.use);
    json.key("fan_out");
    json.open_object();
    json.member("at_once", below.open);
    json.member("in_all", below.all);
    json.member("depth", below.depth);
    json.member("tokens", use.tokens);
    write_money(json, "cost_usd", core::is_shown(core::known_cost(use)), use.cost_micros);
    write_doubt(json, use.parts);
    json.close_object();
}

}  // namespace headway::api
