// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/hooks/hook.hpp"
#include "core/events/session_payloads.hpp"
#include "core/state/session_state.hpp"

// Ends that come with a hook: of calls, dialogs, the session. Pure.

namespace headway::server {

/// The session is over, or that of the sub-agent.
bool ends_session(api::hooks::HookKind kind);

/// Calls in flight of a turn that is over will not be reported any more. After an error that the
/// agent tries again they may.
bool closes_calls(const api::hooks::Hook& hook);

/// No dialog of the agent waits after these: the calls of its turn are over, or it is at its
/// prompt.
bool ends_dialogs(const api::hooks::Hook& hook);

/// How the session of an agent that went away has ended. `interrupted`: a person ended its last
/// turn.
core::SessionEnded end_of(const core::SessionState& state, const api::hooks::Hook& hook,
                          bool interrupted);

}  // namespace headway::server
