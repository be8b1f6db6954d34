// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "core/session.hpp"

// Whether a call that begins has to be asked about. One approval is one execution, so one that
// another call is using is no permission for this one.

namespace headway::core {

/// Whether a person has to be asked about the call: no approval is free for it, no grant covers it,
/// and it has not asked. Pure.
bool asks_anew(const SessionState& state, const ApprovalRequested& call, Timestamp now);

/// The same of the call at this place of a report, which may need no permission. Pure.
bool asks_anew(const SessionState& state, std::span<const CallToAllow> asks, std::size_t place,
               Timestamp now);

}  // namespace headway::core
