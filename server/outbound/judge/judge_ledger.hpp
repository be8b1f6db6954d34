// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "config/settings/judge_settings.hpp"
#include "core/base/fields.hpp"
#include "core/events/judge_payloads.hpp"
#include "server/outbound/judge/judge_messages.hpp"
#include "server/outbound/transfer/circuit_breaker.hpp"

namespace headway::server {

/// Figures of one endpoint since the start.
struct JudgeEndpointStats {
    std::string name;
    std::uint64_t waiting = 0;    ///< queued questions, including retries
    std::uint64_t in_flight = 0;  ///< questions being asked now
    BreakerState breaker = BreakerState::kClosed;
    /// Numbers of questions by outcome, in the order of JudgeOutcome.
    std::array<std::uint64_t, core::EnumNames<core::JudgeOutcome>::kNames.size()> outcomes{};
    std::uint64_t tries = 0;
    std::uint64_t prompt_tokens = 0;
    std::uint64_t completion_tokens = 0;
    double cost_usd = 0;
    std::uint64_t answered_ms = 0;     ///< sum of JudgeUse::elapsed_ms of answered questions
    std::uint64_t first_token_ms = 0;  ///< sum of JudgeUse::first_token_ms of answered questions

    std::uint64_t ended_as(core::JudgeOutcome outcome) const {
        return outcomes[static_cast<std::size_t>(outcome)];
    }
};

struct JudgeStats {
    std::uint64_t open = 0;         ///< questions that were accepted and are not yet answered
    std::uint64_t turned_away = 0;  ///< questions not accepted: full, stopped, or no such endpoint
    std::vector<JudgeEndpointStats> endpoints;
};

/// The figures of all judges and the bound on open questions (accepted and not yet answered). Any
/// thread.
class JudgeLedger {
public:
    explicit JudgeLedger(const std::vector<config::JudgeEndpoint>& endpoints);

    /// Counts a question as open. False if kJudgeQueueMax are open or the endpoint is unknown.
    bool open(const std::string& endpoint);
    /// Undoes open(), because the question was not accepted after all.
    void turn_away();
    /// Counts an answered question and frees its place.
    void settle(const JudgeReply& reply);
    /// Stores the current state of one endpoint, for stats().
    void show(std::size_t endpoint, std::size_t waiting, std::size_t in_flight,
              BreakerState breaker);
    JudgeStats stats() const;

private:
    mutable std::mutex mutex_;  ///< guards everything below
    JudgeStats stats_;
};

}  // namespace headway::server
