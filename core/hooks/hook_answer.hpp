// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/state/session_state.hpp"

namespace headway::core {

/// A hook's question about its session.
struct HookQuestion {
    std::string_view session;                 ///< id, part of the ids of approvals
    bool waits = false;                       ///< a call waits for the answer, and can be refused
    bool takes_words = false;                 ///< words in the answer reach the model
    bool wordless = false;                    ///< a refusal's reason does not reach the model
    bool time_is_up = false;                  ///< the hook cannot be kept waiting any longer
    std::uint32_t stops = 0;                  ///< calls that were refused by a stop before
    ApprovalKind kind = ApprovalKind::kTool;  ///< kQuestion: a person's answer is waited for
    bool redeems = false;                     ///< a reply that lets a call go without its id
    bool again = false;                       ///< it was held, and comes back
    bool repeated = false;                    ///< its event was known: it makes no new request
    bool permission = false;                  ///< about a call that was announced before
    bool needs_approval = false;              ///< calls of this tool do not run without
    bool in_dialog = false;                   ///< the agent's own dialog stands beside
    std::uint64_t dialog = 0;                 ///< then: number of the request about it; 0: none
    std::string_view call_id;                 ///< of the call or question that waits
    std::string_view tool;                    ///< of the call that waits
    std::string_view args_digest;             ///< of the call that waits, to bind approvals
    // The session's ancestors, and the generations before it.
    std::string_view stopped_above;  ///< why a person has stopped an ancestor, or empty
    bool paused_above = false;       ///< an ancestor is paused
    bool refused_before = false;     ///< a person rejected this call in an earlier generation
    /// For a hook that is sent again: directives that were probably delivered in vain.
    std::span<const std::string> unheard = {};
};

/// The answer to a hook. Texts are for the model.
struct HookAnswer {
    bool hold = false;  ///< ask again when the session has changed; nothing else is set
    std::string deny;   ///< why the call must not run
    /// Number of the request whose arguments a person put in place of the call's, which must not
    /// run without them; 0 = none. They are not kept in the state.
    std::uint64_t edited = 0;
    std::string allow;  ///< who allowed the call; empty = no person was asked
    std::string words;  ///< advice, a person's nudge, the budget
    /// The number of the request that a person has answered; 0 = none. The answer's text is not
    /// kept in the state.
    std::uint64_t answered = 0;
    std::uint64_t redeemed = 0;  ///< number of the approval that this answer uses up; 0 = none
    std::string acknowledged;    ///< id of the request whose decision this answer delivers
    std::string stop;            ///< why the agent should end its work
    bool hard = false;           ///< stop at once: final answer requested before, or cancelled
    bool undecided = false;      ///< the time is up without a decision; `deny` states this
    /// Directives that this answer delivers, to be recorded as delivered, without those already
    /// recorded.
    std::vector<std::string> delivered;
};

/// The answer for the state after the hook's report. A stop takes precedence over a pause, a pause
/// over an approval, and words accompany any refusal. Pure.
HookAnswer answer_hook(const SessionState& state, const HookQuestion& asked);

/// The newest approval request of this call: by its id and arguments, else by its id if pending,
/// else by its arguments if pending, unused or rejected. Null if none. A dialog's request answers
/// its dialog only. Pure.
const Approval* approval_of_call(const SessionState& state, std::string_view call_id,
                                 std::string_view tool, std::string_view args_digest);

/// True if another call of the tool, named by no request, is in flight. Such a call may use an
/// approval that has no call_id, or that belongs to a finished call: one approval is one execution.
/// Pure.
bool other_unnamed_in_flight(const SessionState& state, std::string_view tool,
                             std::string_view call_id);

/// True if this call was approved before and has not been allowed to run yet: no person need be
/// asked. Pure.
bool is_approved(const SessionState& state, const HookQuestion& asked);

/// True while the agent has an open directive to stop. Pure.
bool must_stop(const SessionState& state);

/// The session's status for a model: its verdict and what a person is asked. Pure.
std::string status_words(const SessionState& state);

}  // namespace headway::core
