// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "api/hooks/dialect.hpp"
#include "api/hooks/hook.hpp"
#include "core/events/session_payloads.hpp"
#include "core/state/session_state.hpp"
#include "server/engine/residents/resident_set.hpp"

// The ends of calls, dialogs and sessions that a hook implies. Pure.

namespace headway::server {

/// True if the hook ends the session, or the sub-agent's session.
bool ends_session(api::hooks::HookKind kind);

/// True if the hook ends the agent's turn, so that the ends of its calls in flight will not be
/// reported. False for an error after which the agent retries.
bool closes_calls(const api::hooks::Hook& hook);

/// True if no dialog of the agent can be open after the hook, because the calls of its round are
/// over or the agent is at its prompt.
bool ends_dialogs(const api::hooks::Hook& hook);

/// Work left below an agent that is gone.
struct WorkBelow {
    bool open = false;     ///< sessions below it have not ended
    bool in_call = false;  ///< its own sub-agent has a call in flight
};

/// The event that ends the session of an agent that is gone. `memory`: of its hooks.
core::SessionEnded end_of(const core::SessionState& state, const api::hooks::Hook& hook,
                          const HookMemory& memory, const WorkBelow& below);

/// True for a report by a program beside the agent: no sign that the agent itself lives.
bool tells_use_only(const api::hooks::Hook& hook);

/// The adapter that reports the agent's work by this hook; `named`: its name in the session's
/// opening. Empty for MCP, which does not report (it can ask a person beside any adapter), for a
/// question about the state, and for a program that reads the agent's record.
std::string reporting_adapter(const api::hooks::Dialect& dialect, const api::hooks::Hook& hook,
                              const std::string& named);

}  // namespace headway::server
