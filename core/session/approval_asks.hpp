// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "core/session/session.hpp"

// Whether a call that starts needs a new approval request. An approval is for a single execution:
// if another call uses it, it does not cover this call.

namespace headway::core {

/// True if a person must be asked about the call: there is no unused approval, grant or earlier
/// request for it. Pure.
bool asks_anew(const SessionState& state, const CallToAllow& ask, Timestamp now);

/// True if a person must be asked about the call at position `place` of a report. False if that
/// call is not in `asks`, because it needs no approval. Pure.
bool asks_anew(const SessionState& state, std::span<const CallToAllow> asks, std::size_t place,
               Timestamp now);

}  // namespace headway::core
