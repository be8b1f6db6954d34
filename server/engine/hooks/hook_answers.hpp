// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/engine/base/answers.hpp"
#include "server/engine/residents/resident_set.hpp"
#include "server/engine/transaction/transaction.hpp"

// The answer of a session to a hook, and the changes that its delivery makes.

namespace headway::server {

/// True if a hook of this kind waits for the answer. Pure.
bool waits(api::hooks::HookKind kind);

/// True if the call waits for its hook's answer, or never had it. Unknown, so false, of calls
/// before a restart.
bool is_held(const Resident& resident, const std::string& call_id);

/// True if asking a person is pointless: the session must stop, or the call was approved. Pure.
bool is_vain(const core::SessionState& state, const HookCall& call);

/// Answers the hook, and records the changes that the answer makes: delivered directives, a refused
/// call, a used approval. `time_is_up`: the hook waits no longer; `again`: the hook was held and is
/// asked about again.
core::Result<HookAnswered> answer_hook_call(Transaction& transaction, Resident& resident,
                                            HookCall call, bool time_is_up, bool again);

/// The answer to a hook while nothing can be stored: the refusal of a call that the rules, or a
/// person's decision about the session or one above it, do not let run unasked. Absent for others.
std::optional<HookAnswered> answer_unstored(Reader& reader, std::string session,
                                            const HookCall& call);

}  // namespace headway::server
