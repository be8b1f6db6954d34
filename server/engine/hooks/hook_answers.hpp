// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "server/engine/base/answers.hpp"
#include "server/engine/residents/resident_set.hpp"
#include "server/engine/transaction/transaction.hpp"

// The answer of a session to a hook, and the changes that its delivery makes.

namespace headway::server {

/// A hook of this kind waits for the answer. Pure.
bool waits(api::hooks::HookKind kind);

/// The end of a call that did not run to its end. Pure.
core::Event finish_of(const std::string& call_id, const std::string& tool,
                      std::string_view error_class, std::string_view why);

/// The batch of this turn may name this call again. Bounded, whatever the agent is refused.
void note_finished_call(Resident& resident, const std::string& call_id);

/// No person is asked for one who has to stop, or about a call that was approved before. Pure.
bool is_vain(const core::SessionState& state, const HookCall& call);

/// Answers, and records what the answer itself changes: what was delivered, a call that was
/// refused, an approval that is used up. `time_is_up`: the hook waits no longer; `again`: it was
/// held and comes back.
core::Result<HookAnswered> answer_hook_call(Transaction& transaction, Resident& resident,
                                            HookCall call, bool time_is_up, bool again);

}  // namespace headway::server
