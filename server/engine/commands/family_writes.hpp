// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/engine/transaction/transaction.hpp"

// Effects of a session's change on its relatives. A write changes only its own sessions: relatives
// get rows in their inbox, in the same transaction, and decide in the next turn.

namespace headway::server {

/// Lets time pass for a session: appends what is due. True if anything was.
core::Result<bool> tick(Transaction& transaction, Resident& resident);

/// Wakes the parents of changed children whose silence or waiting may end, and theirs.
void wake_parents(Transaction& transaction);

/// Tells the relatives of changed sessions, by their inboxes: parents of what their children have
/// used and launched, in families without a budget only of what is new or has grown by much; and
/// children of an end of their parent.
core::Result<> tell_relatives(Transaction& transaction);

/// So many sessions decide about their messages in one turn: a session that ends may have told
/// 100,000 children, and others wait meanwhile. As many as tick.
inline constexpr std::size_t kReceiversPerTurn = 500;

/// Lets sessions that were woken in the turn before decide about their messages and about the time,
/// and their ancestors in turn, so that it reaches the oldest in one commit.
core::Result<> receive(Transaction& transaction, std::vector<storage::SessionKey> receivers);

/// Applies the pressure of ancestors' budgets, as far as this session's use rolls up to them: the
/// worst of their directives, if it changed. Appends to `events`, so that the reply has it.
core::Result<> heed_ancestors(Transaction& transaction, Resident& resident,
                              std::vector<core::Event>& events);

}  // namespace headway::server
