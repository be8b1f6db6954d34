// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "api/json/json_document.hpp"
#include "api/otlp/said.hpp"
#include "core/events/event.hpp"

// Turns telemetry into events of sessions.

namespace headway::api::otlp {

/// One export's report about one session or sub-agent.
struct SessionReport {
    std::string agent;
    std::string agent_version;
    std::string model;
    std::string session;  ///< as Said::session
    bool own_name = false;
    std::string sub_agent;
    /// True if the report may open the session. A model call in some trace is not enough, because
    /// it does not show that there is an agent.
    bool opens = false;
    /// The events of the report; empty if no record gave an event.
    std::vector<core::Event> events;
};

struct Reports {
    std::vector<SessionReport> sessions;
    std::size_t rejected = 0;  ///< records that became no event
    std::string why;           ///< why the first of these was rejected
};

/// Maximum number of sessions in one export; records of further sessions are rejected. In practice,
/// fewer sessions run at the same time.
inline constexpr std::size_t kSessionsMax = 64;

/// The reports, in the order of the sessions' first records. A call with unknown arguments or
/// result never equals another call, so it is not evidence of a loop. `document` is used to parse
/// arguments and results and to redact secrets.
Reports report(JsonDocument& document, std::span<const Said> records);

}  // namespace headway::api::otlp
