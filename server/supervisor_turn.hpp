// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>
#include <variant>
#include <vector>

#include "server/supervisor.hpp"

namespace headway::server {

/// Internal to supervisor*.cpp.
struct Supervisor::Turn {
    core::Timestamp now;
    std::uint32_t load = 1;
    std::unique_ptr<Publication> publication = std::make_unique<Publication>();
    std::vector<Resident*> touched;
    std::vector<Resident*> moved;  ///< got events
    bool tokens_changed = false;
    std::vector<std::pair<std::string, core::CheckRequested>> questions;  ///< by session
    std::vector<std::string> unasked;  ///< sessions that ended with open checks
};

/// True for errors that fail the whole transaction and not only one command.
inline bool is_storage_error(core::ErrorCode code) {
    return code == core::ErrorCode::kStorageUnavailable || code == core::ErrorCode::kStorageFull ||
           code == core::ErrorCode::kStorageCorrupt || code == core::ErrorCode::kStorageSyncFailed;
}

template <class C, class... Ones>
inline constexpr bool kOneOf = (std::is_same_v<C, Ones> || ...);

/// Queries, answered after the commit of their turn.
template <class C>
inline constexpr bool kReads =
    kOneOf<C, SessionQuery, ComparisonQuery, ViewQuery, StreamQuery, BudgetQuery,
           BudgetAnalyticsQuery, ApprovalQuery, CheckQuery, EstimatesQuery, OverviewQuery,
           SystemQuery, WebhooksQuery, DeliveriesQuery>;

/// Queries that are answered in slices: Supervisor::answer_some.
template <class C>
inline constexpr bool kScans = kOneOf<C, ListQuery, JournalQuery, InboxQuery>;

/// Commands that start an operation and are answered at its end.
template <class C>
inline constexpr bool kStarts = kOneOf<C, BackupCommand, WebhookTestCommand>;

inline bool is_query(const Command& command) {
    return std::visit([]<class C>(const C&) { return kReads<C> || kScans<C> || kStarts<C>; },
                      command);
}

}  // namespace headway::server
