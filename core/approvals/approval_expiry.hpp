// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/approvals/approvals.hpp"
#include "core/values/watch.hpp"

namespace headway::core {

/// When a request expires; kNever = never. A request that is approved when it expires gets the time
/// back in which Headway did not listen, and its full time after a start, a suspend or a step of
/// the clock, because no person could reject it meanwhile. Pure.
inline Timestamp expiry_of(const Approval& approval, const Watch& watch) {
    const Timestamp end = approval.expires_at;
    const bool by_time = end != kNever && approval.on_expiry == OnExpiry::kApprove;
    return by_time ? end + watch.unheard_after(approval.requested_at) : end;
}

}  // namespace headway::core
