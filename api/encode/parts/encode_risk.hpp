// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/json/json_writer.hpp"
#include "core/state/session_state.hpp"

namespace headway::api {

/// Member `risk`, to the thousandth, if the session shows one. Only for readers who are no agents:
/// an agent would steer by it.
void write_risk(JsonWriter& json, const core::SessionState& state);

}  // namespace headway::api
