// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "api/json/json_document.hpp"
#include "api/otlp/said.hpp"
#include "core/events/event.hpp"

// Telemetry as events of sessions.

namespace headway::api::otlp {

/// One export's report about one session or sub-agent.
struct SessionReport {
    std::string agent;
    std::string agent_version;
    std::string model;
    std::string session;  ///< as in Said
    bool own_name = false;
    std::string sub_agent;
    /// Whether it may open the session: a model that was asked in some trace is no agent yet.
    bool opens = false;
    std::vector<core::Event> events;  ///< without one, if no record of it made an event
};

struct Reports {
    std::vector<SessionReport> sessions;
    std::size_t rejected = 0;  ///< records that make no event
    std::string why;           ///< of the first of them
};

/// Sessions of one export; records of further ones are rejected. Fewer run beside each other.
inline constexpr std::size_t kSessionsMax = 64;

/// In the order in which the sessions come. A call whose arguments or result are not known is never
/// equal to another one, so it is no evidence of a loop. Secrets are cut out by `document`, which
/// parses.
Reports report(JsonDocument& document, std::span<const Said> records);

}  // namespace headway::api::otlp
