// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "core/session/session.hpp"

// Whether a starting call needs a new approval request. One approval is one execution, so an
// approval that another call uses does not cover this one.

namespace headway::core {

/// True if a person must be asked about the call: no approval is free, no grant applies, and no
/// earlier request is about the call. Pure.
bool asks_anew(const SessionState& state, const CallToAllow& ask, Timestamp now);

/// The same for one call of a report, at position `place`; that call possibly needs no approval at
/// all. Pure.
bool asks_anew(const SessionState& state, std::span<const CallToAllow> asks, std::size_t place,
               Timestamp now);

}  // namespace headway::core
