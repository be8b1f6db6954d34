// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/engine/transaction.hpp"

// What the change of one session does to its relatives, in the same transaction.

namespace headway::server {

/// Lets time pass for a session: appends what is due. True if anything was.
core::Result<bool> tick(Transaction& transaction, Resident& resident);

/// Rechecks the parents of changed children, whose silence or waiting may end. Each is checked once
/// per turn.
core::Result<> recheck_parents(Transaction& transaction);

/// Rolls the use of children up to their parents: once per turn and parent, the youngest generation
/// first, so that it reaches the oldest in the same commit. Families without a budget are skipped.
core::Result<> roll_up(Transaction& transaction);

/// Applies the pressure of ancestors' budgets, as far as this session's use rolls up to them: the
/// worst of their directives, if it changed. Appends to `events`, so that the reply has it.
core::Result<> heed_ancestors(Transaction& transaction, Resident& resident,
                              std::vector<core::Event>& events);

}  // namespace headway::server
