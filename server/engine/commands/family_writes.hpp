// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/engine/transaction/transaction.hpp"

// Effects of a session's change on its relatives. A write changes only its own sessions: relatives
// get rows in their inbox, in the same transaction, and decide in the next turn.

namespace headway::server {

/// Lets time pass for a session: appends its due events. True if any were due.
core::Result<bool> tick(Transaction& transaction, Resident& resident);

/// Wakes the ancestors of changed children whose silence or waiting may end.
void wake_parents(Transaction& transaction);

/// Puts messages into the inboxes of changed sessions' relatives: parents get their children's use
/// and launches (in families without a budget, only new or much increased figures); children get
/// the end of their parent.
core::Result<> tell_relatives(Transaction& transaction);

/// Number of sessions that process their messages in one turn, as many as tick: an ending session
/// may have sent messages to 100,000 children, and other requests wait meanwhile.
inline constexpr std::size_t kReceiversPerTurn = 500;

/// Lets sessions that were woken in the previous turn process their messages and the time, then
/// their ancestors likewise, so that changes reach the oldest in one commit.
core::Result<> receive(Transaction& transaction, std::vector<storage::SessionKey> receivers);

/// Applies the pressure of the budgets of ancestors to which this session's use rolls up: appends
/// the worst of their directives, if changed, to `events`, so that the reply includes it.
core::Result<> heed_ancestors(Transaction& transaction, Resident& resident,
                              std::vector<core::Event>& events);

/// Looks again at the open sessions below this one in memory, whose calls its pause or stop holds.
void touch_below(Transaction& transaction, const Resident& resident);

/// Checks that time may not approve a call that needs a person in a session above this one.
/// `pointer`: where the request is in the body. Error: kInvalidField.
core::Result<> check_expiry_above(Transaction& transaction, Resident* resident,
                                  const core::Policy& policy, const core::ApprovalRequested& asked,
                                  const std::string& pointer);

/// Policies of the sessions above this one, nearest first; valid until one of these changes.
core::Result<std::vector<const core::Policy*>> policies_above(Transaction& transaction,
                                                              Resident& resident);

/// True if calls of the tool need approval in this session, or in one above it. `policy` is that of
/// the session, which may be null while it begins.
core::Result<bool> must_ask_for(Transaction& transaction, Resident* resident,
                                const core::Policy& policy, const std::string& tool);

/// Decisions of people that bind a session although they were made about another one: a session
/// above it, a later generation of that, or an earlier generation of its own.
struct Above {
    std::string stop;      ///< why its calls must not run, as a sentence without an end; or empty
    bool paused = false;   ///< its calls wait for the end of a pause
    bool refused = false;  ///< a person has rejected the same call
};

/// The decisions that bind a call of the session. `by_call`: the call itself is about to run, so
/// that rejections of earlier generations count too.
core::Result<Above> above_of(Transaction& transaction, Resident& resident, std::string_view tool,
                             std::string_view args_digest, bool by_call);

}  // namespace headway::server
