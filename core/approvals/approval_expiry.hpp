// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "core/approvals/approvals.hpp"

namespace headway::core {

/// The end of a request's time; kNever: it has no end. A request that expiry approves gets its full
/// time again after the daemon starts (`started`): while the daemon was down, no person could
/// reject it. Pure.
inline Timestamp expiry_of(const Approval& approval, Timestamp started) {
    const Timestamp end = approval.expires_at;
    const bool by_time = end != kNever && approval.on_expiry == OnExpiry::kApprove;
    if (!by_time || started == kNever || approval.requested_at >= started) return end;
    return std::max(end, started + (end - approval.requested_at));
}

}  // namespace headway::core
