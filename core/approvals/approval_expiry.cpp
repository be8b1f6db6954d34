// SPDX-License-Identifier: Apache-2.0
#include "core/approvals/approval_expiry.hpp"

#include <algorithm>

#include "core/approvals/approvals.hpp"
#include "core/base/assert.hpp"

// The times at which a request, or an approval that no call has used, needs attention.

namespace headway::core {

Timestamp dialog_ends_at(const Approval& approval, Timestamp started) {
    if (!approval.pending() || !approval.of_dialog()) return kNever;
    const bool orphaned = started != kNever && approval.requested_at < started;
    return orphaned ? started : approval.expires_at;
}

Timestamp overdue_at(const Approval& approval, const Attendance& attendance) {
    if (!approval.open() || approval.alarm || approval.execute_by == kNever) return kNever;
    HEADWAY_ASSERT(approval.kind == ApprovalKind::kTool && !approval.pending());
    const auto& running = attendance.running;
    if (std::find(running.begin(), running.end(), approval.n) != running.end()) return kNever;
    const bool away = attendance.listening_since > approval.decided_at;
    if (!away) return approval.execute_by;
    return std::max(approval.execute_by, attendance.listening_since + attendance.grace);
}

Timestamp next_deadline(const Approvals& approvals, const Attendance& attendance) {
    Timestamp next = kNever;
    const auto consider = [&next](Timestamp at) {
        if (at != kNever && (next == kNever || at < next)) next = at;
    };
    for (const Approval& approval : approvals.requests) {
        if (approval.of_dialog()) {
            consider(dialog_ends_at(approval, attendance.watch.started()));
        } else if (approval.pending() && !approval.overdue) {
            consider(expiry_of(approval, attendance.watch));
        }
        consider(overdue_at(approval, attendance));
        consider(approvals.lapses_at(approval));
    }
    return next;
}

}  // namespace headway::core
