// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/engine/base/answers.hpp"
#include "server/engine/commands/check_commands.hpp"
#include "server/engine/commands/session_commands.hpp"
#include "server/engine/residents/resident_set.hpp"
#include "server/engine/transaction/transaction.hpp"

// An agent's own permission dialog: a person may be asked beside it, from afar.

namespace headway::server {

/// Finds what the dialog of this call waits for: an approval that a person gave for exactly this
/// call before, or a request that is made now. Sets `call.dialog` to its number, and how long the
/// hook may be kept waiting. No request where the setting forbids it, where `asked` is empty
/// because it could not be shown, and where too many wait already: the dialog then decides alone.
core::Result<> ask_beside_dialog(Transaction& transaction, Resident& resident, HookCall& call,
                                 std::optional<core::ApprovalRequested> asked);

/// The dialog of this call waits for its own request `n`, as its hook is sent again.
void await_dialog(Transaction& transaction, HookCall& call, std::uint64_t n);

/// This call is about to run, and its dialog may open. Bounded, whatever the agent announces.
void note_announced_call(Resident& resident, const HookCall& call);
/// The id of the announced call that the dialog `call` is about, once; empty if none is known.
std::string take_announced_call(Resident& resident, const HookCall& call);

/// Ends requests of dialogs that wait: number `n`. Nothing for 0.
core::Result<> close_dialogs(Transaction& transaction, Resident& resident, std::uint64_t n,
                             core::ApprovalClosing how);

/// The turn of the agent, in which all its dialogs were, is over.
core::Result<> end_dialogs(Transaction& transaction, Resident& resident);

/// The agent does not wait for the decision any more: the hook's connection is gone. Nothing
/// answers it.
struct DialogLeftCommand {
    std::string session;
    std::uint64_t n = 0;

    static bool delivered() { return true; }
    core::Result<> name(Reader&, SessionNames& names) const { return name_one(names, session); }
    core::Result<Unanswered> operator()(Transaction& transaction);
};

}  // namespace headway::server
