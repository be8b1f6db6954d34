// SPDX-License-Identifier: Apache-2.0
#include "server/metrics/metrics.hpp"

#include <catch2/catch.hpp>

#include "server/http/message/endpoint.hpp"

using namespace headway::server;
using headway::core::JudgeOutcome;

namespace {

std::string text_with(const JudgeStats* judge) {
    const HttpStats http;
    const EngineStats engine;
    const std::vector<std::uint64_t> routes(route_table().size());
    MetricsInput input{http, engine, routes};
    input.judge = judge;
    return metrics_text(input);
}

JudgeStats busy() {
    JudgeStats stats;
    stats.turned_away = 3;
    JudgeEndpointStats& local = stats.endpoints.emplace_back();
    local.name = "local";
    local.waiting = 4;
    local.in_flight = 1;
    local.breaker = BreakerState::kHalfOpen;
    local.outcomes[static_cast<std::size_t>(JudgeOutcome::kAnswered)] = 7;
    local.outcomes[static_cast<std::size_t>(JudgeOutcome::kBroken)] = 2;
    local.prompt_tokens = 840;
    local.completion_tokens = 210;
    local.cost_usd = 0.5;
    local.answered_ms = 9'500;
    JudgeEndpointStats& second = stats.endpoints.emplace_back();
    second.name = "second";
    second.breaker = BreakerState::kOpen;
    return stats;
}

}  // namespace

TEST_CASE("metrics: none of judges without a judge", "[server]") {
    CHECK_THAT(text_with(nullptr), !Catch::Contains("headway_judge_"));
    CHECK_THAT(text_with(nullptr), Catch::Contains("headway_events_total 0"));
}

TEST_CASE("metrics: each judge has its state, outcomes and cost", "[server][judge]") {
    const JudgeStats stats = busy();
    const std::string text = text_with(&stats);
    for (const char* line :
         {"headway_judge_questions_waiting{judge=\"local\"} 4\n",
          "headway_judge_in_flight{judge=\"local\"} 1\n",
          "headway_judge_in_flight{judge=\"second\"} 0\n",
          "headway_judge_breaker_state{judge=\"local\"} 1\n",
          "headway_judge_breaker_state{judge=\"second\"} 2\n",
          "headway_judge_outcomes_total{judge=\"local\",outcome=\"answered\"} 7\n",
          "headway_judge_outcomes_total{judge=\"local\",outcome=\"broken\"} 2\n",
          "headway_judge_outcomes_total{judge=\"second\",outcome=\"answered\"} 0\n",
          "headway_judge_tokens_total{judge=\"local\",kind=\"prompt\"} 840\n",
          "headway_judge_tokens_total{judge=\"local\",kind=\"completion\"} 210\n",
          "headway_judge_cost_usd_total{judge=\"local\"} 0.5\n",
          "headway_judge_answer_seconds_count{judge=\"local\"} 7\n",
          "headway_judge_answer_seconds_sum{judge=\"local\"} 9.5\n",
          "headway_judge_turned_away_total 3\n"}) {
        CHECK_THAT(text, Catch::Contains(line));
    }
}
