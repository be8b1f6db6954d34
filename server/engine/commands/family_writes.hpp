// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "server/engine/transaction/transaction.hpp"

// The effects of a session's changes on its ancestors and descendants. A write changes only its own
// sessions; the others get messages in their inbox, in the same transaction, and handle them in the
// next turn.

namespace headway::server {

/// Handles the passage of time for a session: appends its due events. True if any were due.
core::Result<bool> tick(Transaction& transaction, Resident& resident);

/// Wakes those ancestors of changed sessions whose own silence or wait may have ended.
void wake_parents(Transaction& transaction);

/// Puts messages about changed sessions into the inboxes of their parents and children. A message
/// to a parent reports the usage and the launches of a child (in families without a budget, only
/// figures that are new or much higher). A message to a child reports that its parent has ended.
core::Result<> tell_relatives(Transaction& transaction);

/// The maximum number of sessions that handle their messages in one turn, equal to the maximum
/// number that tick in one turn. The bound is needed because an ended session may have sent
/// messages to 100,000 children, and other requests wait meanwhile.
inline constexpr std::size_t kReceiversPerTurn = 500;

/// Makes the sessions that were woken in the previous turn handle their messages and the passage of
/// time; then their ancestors do the same, so that a change reaches the topmost session in one
/// commit.
core::Result<> receive(Transaction& transaction, std::vector<storage::SessionKey> receivers);

/// Applies the budgets of the ancestors to which this session's usage is charged. Appends the worst
/// of the resulting directives to `events`, if it has changed, so that the reply includes it.
core::Result<> heed_ancestors(Transaction& transaction, Resident& resident,
                              std::vector<core::Event>& events);

/// Publishes again each open descendant of this session that is in memory, because the pause or
/// stop of this session holds the calls of the descendants.
void touch_below(Transaction& transaction, const Resident& resident);

/// Checks a request that is to be approved when it expires. Such a request is not allowed if an
/// ancestor's policy requires a person's decision about the call. `pointer`: place of the request
/// in the body. Error: kInvalidField.
core::Result<> check_expiry_above(Transaction& transaction, Resident* resident,
                                  const core::Policy& policy, const core::ApprovalRequested& asked,
                                  const std::string& pointer);

/// The policies of this session's ancestors, nearest first; valid until one of these sessions
/// changes.
core::Result<std::vector<const core::Policy*>> policies_above(Transaction& transaction,
                                                              Resident& resident);

/// True if calls of the tool need approval in this session or in an ancestor. `policy` is the
/// session's; `resident` may be null while the session begins.
core::Result<bool> must_ask_for(Transaction& transaction, Resident* resident,
                                const core::Policy& policy, const std::string& tool);

/// People's decisions that bind a session although they were made about another one: an ancestor, a
/// later generation of an ancestor, or an earlier generation of the session itself.
struct Above {
    std::string stop;  ///< why the session's calls must not run, as a sentence without a full stop;
                       ///< or empty
    bool paused = false;   ///< the session's calls wait for the end of a pause
    bool refused = false;  ///< a person has rejected the same call elsewhere, and has not allowed
                           ///< it in this session since then
    core::Timestamp refused_at = core::kNever;  ///< newest rejection in an ancestor
};

/// A call that is about to run, or whose approval is redeemed.
struct AskedCall {
    std::string_view tool;
    std::string_view args_digest;
    std::string_view call_id;
    bool by_hook = false;  ///< rejections in earlier generations bind the call too
    bool runs = false;     ///< as in core::RulingFor
};

/// The decisions that bind a call of the session.
core::Result<Above> above_of(Transaction& transaction, Resident& resident, const AskedCall& call);

/// For a daemon that can store nothing. True if the call must not run without a new decision:
/// because of the rules, because of a person's decision about the session, its earlier generations
/// or its ancestors, or because one of these sessions cannot be read. With a shared database, only
/// the rules of the configuration are checked.
bool is_forbidden(Reader& reader, std::string id, std::string_view tool,
                  std::string_view args_digest);

/// The calls of these events that a person has rejected in an ancestor or an earlier generation and
/// has not decided about in this session since then, as core::call_digest(). The calls of the
/// events are those that have run, and those for which an event requests approval.
core::Result<std::vector<std::uint64_t>> rejected_elsewhere(Transaction& transaction,
                                                            Resident& resident,
                                                            std::span<const core::Event> events);

/// Called after a person's decision about request `n` of `child`. If a call was rejected, sends a
/// message about it to the ancestors, because their agents must not make the call in place of their
/// sub-agent.
core::Result<> tell_rejection(Transaction& transaction, Resident& child, std::uint64_t n);

/// The pending requests, each as an event that has only the kind, the tool and the digest of the
/// arguments. Pure.
std::vector<core::Event> waiting_requests(const core::Approvals& approvals);

}  // namespace headway::server
