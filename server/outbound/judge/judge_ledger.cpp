// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/judge/judge_ledger.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"

namespace headway::server {
namespace {

auto by_name(std::vector<JudgeEndpointStats>& endpoints, const std::string& name) {
    return std::find_if(endpoints.begin(), endpoints.end(),
                        [&](const JudgeEndpointStats& e) { return e.name == name; });
}

}  // namespace

JudgeLedger::JudgeLedger(const std::vector<config::JudgeEndpoint>& endpoints) {
    for (const config::JudgeEndpoint& endpoint : endpoints)
        stats_.endpoints.emplace_back().name = endpoint.name;
}

bool JudgeLedger::open(const std::string& endpoint) {
    const std::lock_guard lock{mutex_};
    if (stats_.open >= core::limits::kJudgeQueueMax ||
        by_name(stats_.endpoints, endpoint) == stats_.endpoints.end()) {
        ++stats_.turned_away;
        return false;
    }
    ++stats_.open;
    return true;
}

void JudgeLedger::turn_away() {
    const std::lock_guard lock{mutex_};
    HEADWAY_ASSERT(stats_.open > 0);
    --stats_.open;
    ++stats_.turned_away;
}

JudgeStats JudgeLedger::stats() const {
    const std::lock_guard lock{mutex_};
    return stats_;
}

void JudgeLedger::settle(const JudgeReply& reply) {
    const std::lock_guard lock{mutex_};
    HEADWAY_ASSERT(stats_.open > 0);
    --stats_.open;
    const auto endpoint = by_name(stats_.endpoints, reply.endpoint);
    HEADWAY_ASSERT(endpoint != stats_.endpoints.end());
    ++endpoint->outcomes[static_cast<std::size_t>(reply.outcome)];
    endpoint->tries += reply.use.tries;
    endpoint->prompt_tokens += reply.use.prompt_tokens;
    endpoint->completion_tokens += reply.use.completion_tokens;
    endpoint->cost_usd += reply.use.cost_usd;
    if (reply.outcome != core::JudgeOutcome::kAnswered) return;
    endpoint->answered_ms += reply.use.elapsed_ms;
    endpoint->first_token_ms += reply.use.first_token_ms;
}

void JudgeLedger::show(std::size_t endpoint, std::size_t waiting, std::size_t in_flight,
                       BreakerState breaker) {
    const std::lock_guard lock{mutex_};
    JudgeEndpointStats& stats = stats_.endpoints.at(endpoint);
    stats.waiting = waiting;
    stats.in_flight = in_flight;
    stats.breaker = breaker;
}

}  // namespace headway::server
