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

// An agent's own permission dialog. While it is open, Headway may also ask a person who is
// elsewhere.

namespace headway::server {

/// A sentence that names the folder of the hook's call, for the person who decides. Empty if there
/// is no folder, or if it is the workspace of the session, which the session's document shows.
std::string folder_note(Transaction& transaction, const Resident& resident,
                        const api::hooks::Hook& hook);

/// Finds the approval that the dialog of this call waits for: one that a person has already given
/// for exactly this call, or a new request. Sets `call.dialog` to its number, and sets how long the
/// hook may be held. Makes no request if the setting forbids it, if `asked` is empty because the
/// request could not be shown whole, if too many requests are pending, or if the session has ended
/// or must stop. In these cases no person is asked beside the dialog. Errors: those of the
/// store.
core::Result<> ask_beside_dialog(Transaction& transaction, Resident& resident, HookCall& call,
                                 std::optional<core::ApprovalRequested> asked);

/// Makes the dialog of this call wait again for the dialog's own request `n`, because the hook of
/// the dialog was sent again.
void await_dialog(Transaction& transaction, HookCall& call, std::uint64_t n);

/// Remembers that this call is about to run, so that its dialog may open. A bounded number of calls
/// is remembered.
void note_announced_call(Resident& resident, const HookCall& call);
/// Returns the id of the announced call that the dialog in `call` is about, and forgets that call;
/// empty if none is known.
std::string take_announced_call(Resident& resident, const HookCall& call);

/// Ends the pending dialog request with number `n`. Does nothing for 0.
core::Result<> close_dialogs(Transaction& transaction, Resident& resident, std::uint64_t n,
                             core::ApprovalClosing how);

/// Ends all dialog requests when the agent's round is over, and forgets the announced calls.
core::Result<> end_dialogs(Transaction& transaction, Resident& resident);

/// Records that the agent no longer waits for the decision, because the hook's connection has
/// closed. Gets no reply.
struct HookLeftCommand {
    std::string session;
    std::uint64_t n = 0;       ///< number of the dialog's request, which ends; 0: no dialog
    std::string call_id = {};  ///< without a dialog: the held call; its request stays pending
                               ///< until the agent goes on

    static bool delivered() { return true; }
    core::Result<> name(Reader&, SessionNames& names) const {
        return n == 0 ? core::Result<>{} : name_one(names, session);
    }
    core::Result<Unanswered> operator()(Transaction& transaction);
};

}  // namespace headway::server
