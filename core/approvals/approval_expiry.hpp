// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "core/approvals/approvals.hpp"

namespace headway::core {

/// When a request expires; kNever = never. A request that is approved when it expires gets its full
/// time again after the daemon's start (`started`), because no person could reject it while the
/// daemon was down. Pure.
inline Timestamp expiry_of(const Approval& approval, Timestamp started) {
    const Timestamp end = approval.expires_at;
    const bool by_time = end != kNever && approval.on_expiry == OnExpiry::kApprove;
    if (!by_time || started == kNever || approval.requested_at >= started) return end;
    return std::max(end, started + (end - approval.requested_at));
}

}  // namespace headway::core
