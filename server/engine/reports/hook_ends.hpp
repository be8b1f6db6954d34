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

/// The event that ends the session of an agent that is gone. `memory` has facts from the agent's
/// earlier hooks.
core::SessionEnded end_of(const core::SessionState& state, const api::hooks::Hook& hook,
                          const HookMemory& memory, const WorkBelow& below);

/// True for a report by another program, such as a reader of the agent's record. It does not show
/// that the agent itself is alive.
bool tells_use_only(const api::hooks::Hook& hook);

/// The adapter that reports the agent's work with this hook. `named` is the adapter's name in the
/// session's opening, or empty. The result is empty for requests that report no work: MCP, through
/// which an agent with any adapter can ask a person; a question about the state; and a program that
/// reads the agent's record.
std::string reporting_adapter(const api::hooks::Dialect& dialect, const api::hooks::Hook& hook,
                              const std::string& named);

}  // namespace headway::server
