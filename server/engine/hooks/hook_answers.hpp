// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/engine/base/answers.hpp"
#include "server/engine/residents/resident_set.hpp"
#include "server/engine/transaction/transaction.hpp"

// How a session answers a hook, and the changes that delivering the answer makes.

namespace headway::server {

/// True if a hook of this kind waits for the answer. Pure.
bool waits(api::hooks::HookKind kind);

/// True if asking a person is pointless, because the session must stop or, for a kRequest, the call
/// is already approved. Pure.
bool is_vain(const Resident& resident, const HookCall& call, core::Timestamp now);

/// Answers the hook, and records the changes that the answer makes: delivered directives, a refused
/// call, a used approval. `time_is_up`: the hook can wait no longer. `again`: the hook was held and
/// is examined again. Errors: those of the store and of ReportCommand.
core::Result<HookAnswered> answer_hook_call(Transaction& transaction, Resident& resident,
                                            HookCall call, bool time_is_up, bool again);

/// The refusal of a call whose session cannot be read. Nothing for hooks that do not wait, and for
/// hooks that ask a person. Pure.
std::optional<HookAnswered> answer_unread(const std::string& session, const HookCall& call);

/// The answer to a hook while nothing can be stored: a refusal if the call must not run without
/// asking a person, by the rules, or by a decision about the session or an ancestor of it, or if
/// such a decision cannot be read. Nothing for permitted calls, for hooks that do not wait, and for
/// hooks that ask a person. `parent`: if `session` is that of a sub-agent, its parent session,
/// whose rules apply if `session` is unknown; else empty.
std::optional<HookAnswered> answer_unstored(Reader& reader, std::string session,
                                            const std::string& parent, const HookCall& call);

}  // namespace headway::server
