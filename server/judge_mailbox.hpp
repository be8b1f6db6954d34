// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "config/judge_settings.hpp"
#include "core/fields.hpp"
#include "core/judge_payloads.hpp"
#include "server/circuit_breaker.hpp"
#include "server/judge_messages.hpp"

namespace headway::server {

/// Figures of one endpoint since the start.
struct JudgeEndpointStats {
    std::string name;
    std::uint64_t waiting = 0;    ///< queued, also for a retry
    std::uint64_t in_flight = 0;  ///< asked now
    BreakerState breaker = BreakerState::kClosed;
    /// Questions by how they ended, in the order of JudgeOutcome.
    std::array<std::uint64_t, core::EnumNames<core::JudgeOutcome>::kNames.size()> outcomes{};
    std::uint64_t tries = 0;
    std::uint64_t prompt_tokens = 0;
    std::uint64_t completion_tokens = 0;
    double cost_usd = 0;
    std::uint64_t answered_ms = 0;     ///< sum of JudgeUse::elapsed_ms of those answered
    std::uint64_t first_token_ms = 0;  ///< sum of JudgeUse::first_token_ms of those answered

    std::uint64_t ended_as(core::JudgeOutcome outcome) const {
        return outcomes[static_cast<std::size_t>(outcome)];
    }
};

struct JudgeStats {
    std::uint64_t open = 0;         ///< accepted and not yet answered
    std::uint64_t turned_away = 0;  ///< not accepted: full, stopped, or no such endpoint
    std::vector<JudgeEndpointStats> endpoints;
};

/// Thread-safe queue of questions for the judge thread; the mutex is only held for moves. At most
/// limits::kJudgeQueueMax questions are open, which means accepted and not yet answered. Any
/// thread, except where the judge thread is named.
class JudgeMailbox {
public:
    explicit JudgeMailbox(const std::vector<config::JudgeEndpoint>& endpoints);

    enum class Posted : std::uint8_t {
        kNo,      ///< full, closed, or for an endpoint that does not exist
        kQuiet,   ///< the judge thread was woken already
        kWakeUp,  ///< the judge thread must be woken
    };
    Posted submit(JudgeJob job);
    /// kNo when the session has no open question.
    Posted cancel(const std::string& session);
    /// Accepts nothing from now on.
    void close();
    JudgeStats stats() const;

    struct Delivery {
        /// sessions; applies to questions of earlier deliveries
        std::vector<std::string> cancelled;
        std::vector<JudgeJob> dropped;  ///< cancelled before they were delivered
        std::vector<JudgeJob> jobs;
        bool closed = false;
    };
    /// Judge thread. Takes all that arrived since the last call; never waits.
    Delivery take();
    /// Judge thread. Counts an answered question and frees its place.
    void settle(const JudgeReply& reply);
    /// Judge thread. Publishes the state of one endpoint for stats().
    void show(std::size_t endpoint, std::size_t waiting, std::size_t in_flight,
              BreakerState breaker);

private:
    Posted posted();

    mutable std::mutex mutex_;  ///< guards everything below
    bool closed_ = false;
    bool woken_ = false;  ///< since the last take()
    std::vector<JudgeJob> jobs_;
    std::vector<JudgeJob> dropped_;
    std::unordered_set<std::string> cancelled_;
    std::unordered_map<std::string, std::size_t> open_;  ///< by session; none is 0
    JudgeStats stats_;
};

}  // namespace headway::server
