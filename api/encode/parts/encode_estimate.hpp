// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/json/json_writer.hpp"
#include "core/state/estimates.hpp"

// The newest estimate of progress, in the same form in every document that a dashboard polls.
// The functions have no side effects except on their reference arguments.

namespace headway::api {

/// `{"percent","reasoning","next_milestone","blockers","is_stuck","source","fallback","n","at"}`,
/// or null before the first estimate.
void write_estimate(JsonWriter& json, const core::CurrentEstimate* estimate);

/// Writes the estimate with the field names of the first design (docs/first-designs.md).
void write_first_design_estimate(JsonWriter& json, const core::CurrentEstimate* estimate);

}  // namespace headway::api
