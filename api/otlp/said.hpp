// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/otlp/export.hpp"
#include "core/events/budget_payloads.hpp"

// Telemetry about agents: by the GenAI semantic conventions of OpenTelemetry, by OpenInference and
// OpenLLMetry, and by the log records of known agents. Plain values, pure.

namespace headway::api::otlp {

enum class SaidKind : std::uint8_t {
    kAlive,    ///< nothing else
    kPrompt,   ///< a message to the agent
    kCall,     ///< a call of a tool is over
    kUsage,    ///< the model was asked
    kError,    ///< the model could not be asked
    kTurnEnd,  ///< the agent has answered
    kRunEnd,   ///< the same, and nothing of this session follows
};

/// A call of a tool that is over.
struct SaidCall {
    std::string tool;
    std::string id;    ///< empty: not known
    std::string args;  ///< JSON, or a text; empty: not known
    bool ok = true;
    bool denied = false;
    std::string result;  ///< empty: not known
    std::string error;
    std::optional<std::uint64_t> duration_ms;
};

/// One record.
struct Said {
    SaidKind kind = SaidKind::kAlive;
    std::string agent;          ///< as hooks call it, or the name of its service
    std::string agent_version;  ///< or empty
    std::string model;
    std::string session;      ///< of the agent; not empty
    bool own_name = false;    ///< `session` is the whole id in Headway (`headway.session`)
    bool by_trace = false;    ///< `session` is the id of the trace, for want of another
    std::string sub_agent;    ///< the name of a sub-agent, or empty
    std::string key;          ///< the same for a record that is sent again
    std::uint64_t at_ns = 0;  ///< 0: not known
    std::string text;         ///< of kPrompt, kError and kTurnEnd
    bool failed = false;      ///< of kRunEnd
    std::string error_class;  ///< of kError: the typed name of the error, or empty
    std::optional<std::uint64_t> status;  ///< of kError: that of HTTP, where it is known
    bool beyond = false;                  ///< a number of its use is none, or no use can be so much
    SaidCall call;
    core::Usage usage;
};

/// In the order of time. Records without a session are left out.
std::vector<Said> understand(const Export& received, Signal signal);

}  // namespace headway::api::otlp
