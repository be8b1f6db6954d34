// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/hooks/hook.hpp"
#include "core/events/session_payloads.hpp"
#include "core/state/session_state.hpp"

// Ends of calls, dialogs and sessions that a hook implies. Pure.

namespace headway::server {

/// True if the hook ends the session, or the sub-agent's session.
bool ends_session(api::hooks::HookKind kind);

/// True if the agent's turn is over after the hook, so that its calls in flight will not be
/// reported. False for an error that the agent tries again.
bool closes_calls(const api::hooks::Hook& hook);

/// True if no dialog of the agent can wait after the hook: the calls of its round are over, or it
/// is at its prompt.
bool ends_dialogs(const api::hooks::Hook& hook);

/// The end of the session of an agent that is gone. `interrupted`: a person ended its last turn.
core::SessionEnded end_of(const core::SessionState& state, const api::hooks::Hook& hook,
                          bool interrupted);

}  // namespace headway::server
