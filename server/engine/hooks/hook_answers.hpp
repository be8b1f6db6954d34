// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "server/engine/base/answers.hpp"
#include "server/engine/residents/resident_set.hpp"
#include "server/engine/transaction/transaction.hpp"

// The answer of a session to a hook, and the changes that its delivery makes.

namespace headway::server {

/// True if a hook of this kind waits for the answer. Pure.
bool waits(api::hooks::HookKind kind);

/// The event for the end of a call that did not complete. Pure.
core::Event finish_of(const std::string& call_id, const std::string& tool,
                      std::string_view error_class, std::string_view why);

/// Notes a finished call, which the batch of this round may name again. Keeps a bounded number.
void note_finished_call(Resident& resident, const std::string& call_id);

/// True if asking a person is pointless: the session must stop, or the call was approved. Pure.
bool is_vain(const core::SessionState& state, const HookCall& call);

/// Answers the hook, and records the changes that the answer makes: delivered directives, a refused
/// call, a used approval. `time_is_up`: the hook waits no longer; `again`: the hook was held and is
/// asked about again.
core::Result<HookAnswered> answer_hook_call(Transaction& transaction, Resident& resident,
                                            HookCall call, bool time_is_up, bool again);

}  // namespace headway::server
