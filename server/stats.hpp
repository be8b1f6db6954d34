// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/event.hpp"
#include "storage/session_index.hpp"

// How the supervisor and what it supervises fare: what /readyz, /metrics and /v1/system show.

namespace headway::server {

struct ApprovalStats {
    std::uint64_t requested = 0;
    std::array<std::uint64_t, core::EnumNames<core::Decision>::kNames.size()> decided{};
    std::uint64_t expired = 0;
    std::uint64_t redeemed = 0;
    std::array<std::uint64_t, core::EnumNames<core::ApprovalAlarmKind>::kNames.size()> alarms{};
    std::uint64_t pending = 0;       ///< now
    storage::AlarmCounts alarmed{};  ///< sessions with an alarm that no person acknowledged, now
};

struct CheckStats {
    std::array<std::uint64_t, core::EnumNames<core::CheckCause>::kNames.size()> asked{};
    std::array<std::uint64_t, core::EnumNames<core::JudgeOutcome>::kNames.size()> outcomes{};
    std::array<std::uint64_t, core::EnumNames<core::CheckAnswer>::kNames.size()> answers{};
    std::array<std::uint64_t, 2> estimates{};  ///< by judges: given, and fallbacks
};

/// How one webhook fares.
struct WebhookStats {
    std::string name;
    std::uint64_t pending = 0;
    std::uint64_t dead = 0;
    std::uint64_t delivered = 0;
    std::uint64_t failed = 0;   ///< tries
    std::uint64_t died = 0;     ///< messages that became dead letters
    std::uint64_t dropped = 0;  ///< dead letters that had to make room
};

/// How the supervisor fares, for /readyz and /metrics.
struct SupervisorStats {
    std::uint64_t events = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t commits = 0;
    std::uint64_t commit_failures = 0;
    std::uint64_t commit_microseconds = 0;
    std::uint64_t snapshots = 0;
    std::uint64_t evictions = 0;
    std::uint64_t checkpoints = 0;
    std::uint64_t deleted_steps = 0;
    std::uint64_t resident = 0;
    std::uint64_t wal_pages = 0;
    std::array<std::uint64_t, core::kVerdictCount> verdicts{};  ///< verdict changes, by verdict
    std::array<std::uint64_t, core::kVerdictCount> open{};      ///< open sessions now
    /// Sessions in memory that have a budget, by its level.
    std::array<std::uint64_t, core::EnumNames<core::BudgetLevel>::kNames.size()> budget_levels{};
    /// Failed calls, by why.
    std::array<std::uint64_t, core::EnumNames<core::FailureKind>::kNames.size()> tool_failures{};
    ApprovalStats approvals;
    CheckStats checks;
    std::uint64_t refused_full = 0;  ///< reports that there was no room for
    std::uint64_t free_bytes = 0;    ///< on the disk, when it was looked at last
    bool writable = true;            ///< the last commit succeeded
    bool short_of_space = false;     ///< reports are refused
    /// Null without a webhook.
    std::shared_ptr<const std::vector<WebhookStats>> webhooks;
};

/// What an event of a transaction adds to the figures over all sessions.
void count(SupervisorStats& stats, const core::Event& event);

}  // namespace headway::server
