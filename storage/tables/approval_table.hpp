// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/approvals/approvals.hpp"
#include "core/base/result.hpp"
#include "storage/base/keys.hpp"

namespace headway::storage {

/// An approval of any session, from the index.
struct StoredApproval {
    Cursor cursor = 0;  ///< cursor of its approval.requested event
    SessionKey session = 0;
    std::string session_id;
    core::Approval approval;
    Cursor decided = 0;    ///< cursor of its approval.decided event; 0 = undecided
    bool damaged = false;  ///< `approval` is unreadable; the other members are valid
};

/// Selects a page of approvals.
struct ApprovalPage {
    /// True: only pending approvals, oldest first; false: only approvals that are not pending,
    /// newest first; empty: all, newest first.
    std::optional<bool> pending;
    std::optional<SessionKey> session;
    std::optional<core::ApprovalKind> kind;
    /// Lowest risk to list, kHigh or kCritical; pending approvals only.
    std::optional<core::Risk> risk;
    /// List the approvals that follow this cursor in the list's order; 0 = from the start.
    Cursor from = 0;
    std::size_t limit = 50;
};

/// The approvals of all sessions: a part of the Store, with the same thread, transactions and
/// errors.
class ApprovalTable {
public:
    virtual ~ApprovalTable() = default;

    static constexpr std::size_t kBelowMax = 100;
    static constexpr std::size_t kBelowLooksMax = 1000;  ///< takes about 4 ms

    /// Inserts or replaces the approval's row. `cursor` and `decided` are the cursors of its events
    /// approval.requested and approval.decided; 0 for an event that is not new.
    virtual core::Result<> save_approval(SessionKey key, const core::Approval& approval,
                                         Cursor cursor, Cursor decided) = 0;
    /// The approval whose approval.requested event has this cursor.
    virtual core::Result<std::optional<StoredApproval>> approval_at(Cursor cursor) = 0;
    virtual core::Result<std::optional<StoredApproval>> find_approval(SessionKey key,
                                                                      std::uint64_t n) = 0;
    virtual core::Result<std::vector<StoredApproval>> list_approvals(const ApprovalPage& page) = 0;
    /// The pending approvals with this core::Approval::identity_digest, over all sessions; oldest
    /// first.
    virtual core::Result<std::vector<StoredApproval>> identical_approvals(std::string_view identity,
                                                                          std::size_t limit) = 0;
    virtual core::Result<std::uint64_t> count_identical(std::string_view identity) = 0;
    virtual core::Result<std::uint64_t> count_pending() = 0;
    /// Number of pending approvals of the session's open descendants, at most kBelowMax. Examines
    /// the oldest kBelowLooksMax pending approvals and, for each, the ancestors of its session.
    /// Thus the time does not depend on the number of descendants. If the session has children and
    /// none of the examined approvals is below it, but there are further pending approvals, the
    /// result is 1, because one of these may be below it.
    virtual core::Result<std::uint64_t> count_pending_below(std::string_view session) = 0;
    /// Sessions with a pending approval.
    virtual core::Result<std::vector<SessionKey>> asking_sessions() = 0;
};

}  // namespace headway::storage
