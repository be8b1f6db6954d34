// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/events/event.hpp"
#include "core/hooks/hook_channel.hpp"
#include "storage/tables/session_index.hpp"

// Figures of the engine and its sessions for /readyz, /metrics and /v1/system.

namespace headway::server {

struct ApprovalStats {
    std::uint64_t requested = 0;
    std::array<std::uint64_t, core::EnumNames<core::Decision>::kNames.size()> decided{};
    std::uint64_t expired = 0;
    std::uint64_t redeemed = 0;
    std::array<std::uint64_t, core::EnumNames<core::ApprovalAlarmKind>::kNames.size()> alarms{};
    std::uint64_t pending = 0;       ///< number of pending approvals now
    storage::AlarmCounts alarmed{};  ///< sessions with an unacknowledged alarm
};

struct CheckStats {
    std::array<std::uint64_t, core::EnumNames<core::CheckCause>::kNames.size()> asked{};
    std::array<std::uint64_t, core::EnumNames<core::JudgeOutcome>::kNames.size()> outcomes{};
    std::array<std::uint64_t, core::EnumNames<core::CheckAnswer>::kNames.size()> answers{};
    std::array<std::uint64_t, 2> estimates{};  ///< number of estimates by judges, and of fallbacks
};

/// Figures of one webhook.
struct WebhookStats {
    std::string name;
    std::uint64_t pending = 0;
    std::uint64_t dead = 0;
    std::uint64_t delivered = 0;
    std::uint64_t failed = 0;   ///< failed tries
    std::uint64_t died = 0;     ///< messages that became dead letters
    std::uint64_t dropped = 0;  ///< dead letters dropped for lack of room
};

/// Figures of the engine.
struct EngineStats {
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
    std::array<std::uint64_t, core::kVerdictCount> verdicts{};  ///< changes of verdicts, by new
                                                                ///< verdict
    std::array<std::uint64_t, core::kVerdictCount> open{};      ///< open sessions now, by verdict
    /// Sessions in memory that have a budget, by level of the budget.
    std::array<std::uint64_t, core::EnumNames<core::BudgetLevel>::kNames.size()> budget_levels{};
    /// Open sessions whose agents send hooks, by core::ChannelHealth.
    std::array<std::uint64_t, core::EnumNames<core::ChannelHealth>::kNames.size()> hook_channels{};
    /// Failed calls, by kind.
    std::array<std::uint64_t, core::EnumNames<core::FailureKind>::kNames.size()> tool_failures{};
    ApprovalStats approvals;
    CheckStats checks;
    std::uint64_t refused_full = 0;  ///< reports refused for lack of space
    std::uint64_t free_bytes = 0;    ///< free disk space at the last check
    bool writable = true;            ///< the last commit succeeded
    bool short_of_space = false;     ///< disk space is low: reports are refused
    bool outdated = false;      ///< a newer version has written rows that this version cannot read
    std::uint64_t daemons = 0;  ///< daemons that share the store; 0: not shared
    std::uint64_t conflicts = 0;    ///< writes that had to wait for another daemon
    std::uint64_t retries = 0;      ///< turns run again after the database refused them
    std::uint64_t round_trips = 0;  ///< round trips to a shared store
    /// Null if there is no webhook.
    std::shared_ptr<const std::vector<WebhookStats>> webhooks;
};

/// Counts an event of a transaction.
void count(EngineStats& stats, const core::Event& event);

}  // namespace headway::server
