// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/otlp/reply.hpp"
#include "api/otlp/report.hpp"
#include "core/events/session_payloads.hpp"
#include "server/engine/transaction/transaction.hpp"

// Telemetry of agents (OTLP), which reports their actions afterwards.

namespace headway::server {

/// The label `adapter` of a session that telemetry has opened.
inline constexpr std::string_view kTelemetryAdapter = "otlp";

/// Telemetry about one session.
struct TelemetryReport {
    std::string session;         ///< id of the session, without generation
    std::string sub_agent = {};  ///< the session of the sub-agent, without generation; or empty
    core::SessionStarted about;
    bool opens = false;
    std::vector<core::Event> events;
    // Set by name(): the sessions in force.
    std::string target = {};
    std::string sub_target = {};
};

/// The result of an export.
using TelemetryTaken = api::otlp::Taken;

/// Stores only the facts that no other kind of report provides. For each session, either log
/// records or spans are used, whichever came first. For a session with hooks, only usage is stored,
/// and calls if the hooks report none. If hooks and telemetry both report usage, the larger sum of
/// tokens and the larger sum of costs are used. A label of the session has no effect on this, since
/// any client may set it.
struct TelemetryCommand {
    std::vector<TelemetryReport> reports;
    TelemetryTaken taken;  ///< the part of the result that is known before the command runs

    static constexpr bool kFillsDisk = true;
    core::Result<> name(Reader& reader, SessionNames& names);
    core::Result<bool> is_well_named(Reader& reader) const;
    core::Result<TelemetryTaken> operator()(Transaction& transaction);
};

}  // namespace headway::server
