// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/state/session_state.hpp"

namespace headway::core {

/// A hook and the facts that decide its answer.
struct HookQuestion {
    std::string_view session;  ///< session id, which is part of the ids of approvals
    bool waits = false;        ///< a call waits for the answer and can be refused
    bool takes_words = false;  ///< texts in the answer reach the model
    bool wordless = false;     ///< the reason of a refusal does not reach the model
    bool time_is_up = false;   ///< the hook cannot be kept waiting any longer
    std::uint32_t stops = 0;   ///< number of calls that a stop has refused so far
    /// The kind of wait; kQuestion: for a person's answer.
    ApprovalKind kind = ApprovalKind::kTool;
    bool redeems = false;   ///< a reply that lets the call run also redeems its approval
    bool again = false;     ///< the hook was held and is examined again
    bool repeated = false;  ///< its event was reported before, so no new request is made
    /// The hook asks for permission for a call that an earlier hook announced.
    bool permission = false;
    bool needs_approval = false;  ///< calls of this tool must not run without approval
    bool granted = false;         ///< a person allowed calls like this one in advance
    bool in_dialog = false;       ///< the agent's own dialog is shown at the same time
    /// With in_dialog: number of the request about this dialog; 0 = none.
    std::uint64_t dialog = 0;
    std::string_view call_id;      ///< id of the call or question that waits
    std::string_view tool;         ///< tool of the call that waits
    std::string_view args_digest;  ///< digest of the arguments of the call that waits, to bind
                                   ///< approvals
    Timestamp now = kNever;        ///< grants until an earlier time are over
    // About the session's ancestors and its earlier generations.
    std::string_view stopped_above;  ///< why a person has stopped an ancestor, or empty
    bool paused_above = false;       ///< an ancestor is paused
    /// A person refused this call in an ancestor or an earlier generation of the session, and did
    /// not allow it here since.
    bool refused_before = false;
    Timestamp refused_at = kNever;  ///< time of the last such refusal in an ancestor, if known
    /// For a hook that is sent again: directives whose earlier delivery probably failed.
    std::span<const std::string> unheard = {};
};

/// The answer to a hook. Its texts are for the model.
struct HookAnswer {
    bool hold = false;  ///< answer only when the session has changed; nothing else is set
    std::string deny;   ///< why the call must not run
    /// Number of the request in which a person has replaced the call's arguments; the call must not
    /// run with its original arguments. 0 = none. The state does not keep the new arguments.
    std::uint64_t edited = 0;
    std::string allow;  ///< who allowed the call, as a phrase; empty = no person allowed it
    std::string words;  ///< advice, a person's nudge, budget levels
    /// The number of the request that a person has answered; 0 = none. The answer's text is not
    /// kept in the state.
    std::uint64_t answered = 0;
    /// Number of the approval request that this answer redeems; 0 = none.
    std::uint64_t redeemed = 0;
    std::string acknowledged;  ///< id of the request whose decision this answer delivers
    std::string stop;          ///< why the agent should end its work
    bool hard = false;         ///< stop at once; false: the agent may first give its final answer
    bool undecided = false;    ///< the time was up without a decision; `deny` states this
    /// Directives that this answer delivers and that must be recorded as delivered. Directives
    /// recorded before are left out.
    std::vector<std::string> delivered;
};

/// The answer to a hook; `state` includes the hook's report. A stop takes precedence over a pause,
/// and a pause over an approval; `words` accompany any refusal. Pure.
HookAnswer answer_hook(const SessionState& state, const HookQuestion& asked);

/// The approval request for this call, the newest of its kind. A pending or unused request with the
/// same call id, tool and arguments comes first. Then come, in this order: a pending one with the
/// same call id and tool; a pending or unused one with the same tool and arguments; a rejected one
/// with the same tool and arguments; a rejected one with the same call id; any other one with the
/// same call id, tool and arguments. Null if there is none. Requests about a dialog of the agent
/// are left out. Pure.
const Approval* approval_of_call(const SessionState& state, std::string_view call_id,
                                 std::string_view tool, std::string_view args_digest);

/// True if another call of the tool is in flight and no request names that call. Then an approval
/// without a call_id, or one whose call has finished, may belong to the other call. The call
/// `call_id` must not use it, because an approval is for one execution. Pure.
bool other_unnamed_in_flight(const SessionState& state, std::string_view tool,
                             std::string_view call_id);

/// True if this call has an approval that no call has used yet: then no person needs to be asked.
/// Pure.
bool is_approved(const SessionState& state, const HookQuestion& asked);

/// True while the agent must stop: a directive to stop is open, a person has stopped the agent, or
/// the session was cancelled. Pure.
bool must_stop(const SessionState& state);

/// The session's status for a model: its verdict, the number of open requests to a person, and
/// whether the session is paused. Pure.
std::string status_words(const SessionState& state);

}  // namespace headway::core
