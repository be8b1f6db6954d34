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
    std::string_view session;                 ///< id, to name approvals by
    bool waits = false;                       ///< a call waits for the answer, and can be refused
    bool takes_words = false;                 ///< what is said reaches the model
    bool wordless = false;                    ///< nor does what a refusal says
    bool time_is_up = false;                  ///< the hook cannot be kept waiting any longer
    std::uint32_t stops = 0;                  ///< calls that were refused by a stop before
    ApprovalKind kind = ApprovalKind::kTool;  ///< kQuestion: a person's answer is waited for
    bool redeems = false;                     ///< a reply that lets a call go without its id
    bool again = false;                       ///< it was held, and comes back
    bool repeated = false;                    ///< its event was known: it makes no new request
    bool needs_approval = false;              ///< calls of this tool do not run without
    bool in_dialog = false;                   ///< the agent's own dialog stands beside
    std::uint64_t dialog = 0;                 ///< then: number of the request about it; 0: none
    std::string_view call_id;                 ///< of the call or question that waits
    std::string_view tool;                    ///< of the call that waits
    std::string_view args_digest;             ///< of the call that waits, as approvals are bound to
    // The sessions above it, and those that it goes on from.
    std::string_view stopped_above;  ///< why a person has stopped one above it; empty: none
    bool paused_above = false;       ///< one above it is paused
    bool refused_before = false;     ///< a person has rejected this call in one of them
    /// Of a hook that is sent again: directives that were delivered in vain, so it seems.
    std::span<const std::string> unheard = {};
};

/// The answer to a hook. Texts are for the model.
struct HookAnswer {
    bool hold = false;  ///< ask again when the session has changed; nothing else is set
    std::string deny;   ///< why the call must not run
    std::string edit;   ///< JSON arguments that a person put in place of the call's
    std::string allow;  ///< who allowed the call; empty: no person was asked
    std::string words;  ///< advice, a person's nudge, the budget
    /// The number of the request that a person has answered; 0: none. The answer itself is not kept
    /// in the state.
    std::uint64_t answered = 0;
    std::uint64_t redeemed = 0;  ///< number of the approval that this answer uses up; 0: none
    std::string acknowledged;  ///< id of the request whose decision the agent has with this answer
    std::string stop;          ///< why the agent should come to its end
    bool hard = false;       ///< stop at once: it was asked for its answer before, or is cancelled
    bool undecided = false;  ///< the time is up and no decision was made; `deny` says so
    /// Directives that the agent has with this answer: to be recorded as delivered. Without those
    /// that were.
    std::vector<std::string> delivered;
};

/// The answer as the session stands, after what the hook reported. A stop comes before a pause, a
/// pause before an approval, and words go along with any refusal. The arguments that a person put
/// in place of a call's are not kept in the state: `edit` is then "edited", and the caller fetches
/// them. Pure.
HookAnswer answer_hook(const SessionState& state, const HookQuestion& asked);

/// The newest request for approval of this call: by its id and arguments, else by its id while it
/// waits for a decision, else by its arguments while they wait for one or may run. Null if there is
/// none. Those of dialogs answer their dialogs only. Pure.
const Approval* approval_of_call(const SessionState& state, std::string_view call_id,
                                 std::string_view tool, std::string_view args_digest);

/// Whether the newest request for this call, under any id, was rejected by a person. Pure.
bool is_rejected(const SessionState& state, std::string_view tool, std::string_view args_digest);

/// True if another call of the tool that no request names is in flight. It may be the one that has
/// an approval without a call_id, or of a call that is over: one approval is one execution. Pure.
bool other_unnamed_in_flight(const SessionState& state, std::string_view tool,
                             std::string_view call_id);

/// True if this call was approved before and has not been let go yet: no person need be asked.
/// Pure.
bool is_approved(const SessionState& state, const HookQuestion& asked);

/// True while the agent has an open directive to stop. Pure.
bool must_stop(const SessionState& state);

/// How the session stands, for a model that asks: its verdict and what a person is asked. Pure.
std::string status_words(const SessionState& state);

}  // namespace headway::core
