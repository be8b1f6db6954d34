#pragma once

#include <memory>
#include <vector>

#include "server/supervisor.hpp"

namespace headway::server {

/// Internal to the supervisor_*.cpp files.
struct Supervisor::Turn {
    core::Timestamp now;
    std::uint32_t load = 1;
    std::unique_ptr<Publication> publication = std::make_unique<Publication>();
    std::vector<Resident*> touched;
    std::vector<Resident*> moved;  ///< got events
    bool tokens_changed = false;
    std::vector<std::pair<std::string, core::CheckRequested>> questions;  ///< by session
    std::vector<std::string> unasked;  ///< sessions that ended with checks under way
};

/// Errors that spoil the whole transaction, as opposed to a refusal of one command.
inline bool is_storage_error(core::ErrorCode code) {
    return code == core::ErrorCode::kStorageUnavailable || code == core::ErrorCode::kStorageFull ||
           code == core::ErrorCode::kStorageCorrupt || code == core::ErrorCode::kStorageSyncFailed;
}

inline bool is_query(const Command& command) {
    return std::holds_alternative<SessionQuery>(command) ||
           std::holds_alternative<ComparisonQuery>(command) ||
           std::holds_alternative<ListQuery>(command) ||
           std::holds_alternative<JournalQuery>(command) ||
           std::holds_alternative<ViewQuery>(command) ||
           std::holds_alternative<StreamQuery>(command) ||
           std::holds_alternative<BudgetQuery>(command) ||
           std::holds_alternative<BudgetAnalyticsQuery>(command) ||
           std::holds_alternative<ApprovalQuery>(command) ||
           std::holds_alternative<InboxQuery>(command) ||
           std::holds_alternative<CheckQuery>(command) ||
           std::holds_alternative<EstimatesQuery>(command) ||
           std::holds_alternative<OverviewQuery>(command) ||
           std::holds_alternative<SystemQuery>(command) ||
           std::holds_alternative<WebhooksQuery>(command) ||
           std::holds_alternative<DeliveriesQuery>(command) ||
           std::holds_alternative<WebhookTestCommand>(command) ||
           std::holds_alternative<BackupCommand>(command);
}

}  // namespace headway::server
