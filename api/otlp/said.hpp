// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/otlp/export.hpp"
#include "core/events/budget_payloads.hpp"

// Telemetry about agents, in the conventions of OpenTelemetry's GenAI, OpenInference and
// OpenLLMetry, and in the log records of known agents. Plain values, pure.

namespace headway::api::otlp {

enum class SaidKind : std::uint8_t {
    kAlive,    ///< only a sign of life
    kPrompt,   ///< a message to the agent
    kCall,     ///< a tool call is over
    kUsage,    ///< the model was called
    kError,    ///< the model could not be called
    kTurnEnd,  ///< the agent's turn is over
    kRunEnd,   ///< the agent's turn and the session are over
};

/// A finished tool call.
struct SaidCall {
    std::string tool;
    std::string id;    ///< the call's id; empty: not known
    std::string args;  ///< the arguments, as JSON or text; empty: not known
    bool ok = true;
    bool denied = false;
    std::string result;  ///< the call's result; empty: not known
    std::string error;
    std::optional<std::uint64_t> duration_ms;
};

/// The content of one record.
struct Said {
    SaidKind kind = SaidKind::kAlive;
    std::string agent;          ///< the agent's name as in hooks, or the service's name
    std::string agent_version;  ///< the agent's version; empty: not known
    std::string model;
    std::string session;      ///< the agent's session id; not empty
    bool own_name = false;    ///< `session` is the whole id in Headway (`headway.session`)
    bool by_trace = false;    ///< `session` is the id of the trace, since no other id is known
    std::string sub_agent;    ///< the name of a sub-agent; empty: the agent itself
    std::string key;          ///< event id; the same if the record is sent again
    std::uint64_t at_ns = 0;  ///< time of the record; 0: not known
    std::string text;         ///< text of a kPrompt, kError, kTurnEnd or kRunEnd
    bool failed = false;      ///< for kRunEnd: the run failed
    std::string error_class;  ///< for kError: the error's class name, or empty
    std::optional<std::uint64_t> status;  ///< for kError: HTTP status, if known
    bool beyond = false;                  ///< a figure of usage is not a number, or is impossibly
                                          ///< large
    SaidCall call;
    core::Usage usage;
};

/// The contents of the records, in chronological order; records without a session are left out.
std::vector<Said> understand(const Export& received, Signal signal);

}  // namespace headway::api::otlp
