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
    /// The kind of wait: kTool for permission to run a call, kQuestion for a person's answer.
    ApprovalKind kind = ApprovalKind::kTool;
    bool redeems = false;   ///< a reply that lets the call run also redeems the call's approval
    bool again = false;     ///< the hook was held and is examined again
    bool repeated = false;  ///< the hook's event was reported before, so no new request is made
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
    Timestamp now = kNever;        ///< the time of the hook: grants that ended earlier are over
    // Facts about the session's ancestors and its earlier generations.
    std::string_view stopped_above;  ///< reason for which a person stopped an ancestor, or empty
    bool paused_above = false;       ///< an ancestor is paused
    /// A person refused this call in an ancestor or an earlier generation of the session, and has
    /// not allowed it in this session since.
    bool refused_before = false;
    Timestamp refused_at = kNever;  ///< time of the last such refusal in an ancestor, if known
    /// For a hook that is sent again: directives whose earlier delivery probably failed.
    std::span<const std::string> unheard = {};
};

/// The answer to a hook. Its texts are written for the model.
struct HookAnswer {
    bool hold = false;  ///< keep the hook waiting until the session changes; no other member is set
    std::string deny;   ///< why the call must not run
    /// Number of the request in which a person has replaced the call's arguments; the call must not
    /// run with its original arguments. 0 = none. The state does not keep the new arguments.
    std::uint64_t edited = 0;
    std::string allow;  ///< who allowed the call, as a phrase; empty = no person allowed it
    std::string words;  ///< texts for the model: advice, a person's nudge, budget levels
    /// The number of the request that a person has answered; 0 = none. The answer's text is not
    /// kept in the state.
    std::uint64_t answered = 0;
    /// Number of the approval request that this answer redeems; 0 = none.
    std::uint64_t redeemed = 0;
    std::string acknowledged;  ///< id of the request whose decision this answer delivers
    std::string stop;          ///< why the agent should end its work
    bool hard = false;         ///< stop at once; false: the agent may first give its final answer
    bool undecided = false;    ///< the time ended without a decision; `deny` states this
    /// Directives that this answer delivers and that must be recorded as delivered. Directives
    /// recorded before are left out.
    std::vector<std::string> delivered;
};

/// The answer to a hook; `state` includes the hook's report. A stop takes precedence over a pause,
/// and a pause over an approval; `words` accompany any refusal. Pure.
HookAnswer answer_hook(const SessionState& state, const HookQuestion& asked);

/// The approval request for this call: the newest request of the first of the kinds below that
/// exists; null if there is none. Here an own request has the same call id, tool and arguments; an
/// equal request has the same tool and arguments. (1) A pending or unused own request; (2) a
/// pending request with the same call id and tool; (3) an equal request that is pending, if no own
/// request is rejected, or unused, if no own request was rejected later; (4) an approved own
/// request, if none was rejected later; (5) a rejected own request; (6) an equal request whose
/// rejection is in force; (7) a rejected request with the same call id and arguments; (8) any other
/// own request. Requests about a dialog of the agent are left out. Pure.
const Approval* approval_of_call(const SessionState& state, std::string_view call_id,
                                 std::string_view tool, std::string_view args_digest);

/// The approval request that this hook waits for: of a call as approval_of_call(), of a question
/// the newest with its id. Null if there is none. Pure.
const Approval* request_of_wait(const SessionState& state, const HookQuestion& asked);

/// True if another call of the tool is in flight and no request names that call. Then an approval
/// without a call_id, or one whose call has finished, may belong to the other call. The call
/// `call_id` must not use it, because an approval is for one execution. Pure.
bool other_unnamed_in_flight(const SessionState& state, std::string_view tool,
                             std::string_view call_id);

/// True if this call has an approval that no call has used yet: then no person needs to be asked.
/// Pure.
bool is_approved(const SessionState& state, const HookQuestion& asked);

/// True while the agent must stop: a directive to stop is in force, even if acknowledged, a person
/// has stopped the agent, or the session was cancelled. Pure.
bool must_stop(const SessionState& state);

/// The session's status for a model: its verdict, the number of open requests to a person, and
/// whether the session is paused. Pure.
std::string status_words(const SessionState& state);

}  // namespace headway::core
