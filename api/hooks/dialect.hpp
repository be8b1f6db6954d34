// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/hooks/hook.hpp"
#include "api/json/json_document.hpp"
#include "core/base/time.hpp"

namespace headway::api::hooks {

/// How one agent writes its hooks and what it obeys. All functions are pure.
struct Dialect {
    std::string_view name;  ///< as in the path of its route

    /// Never fails: unknown members are skipped, a member of the wrong type is as absent, and an
    /// unknown event or a body without a session is a kNone. The hook has values of `body`'s
    /// document.
    Hook (*parse)(JsonValue body, const HookFacts& facts);

    /// The reply in the agent's own form, one JSON object: only what the agent was seen to obey at
    /// this event. `{}` where that is nothing, and always for a kNone.
    std::string (*render)(const Hook& hook, const HookReply& reply);

    /// Whether what a reply has to say reaches the model at this event, so that it need not be said
    /// again. Not along with a hard stop; along with a refusal always, as part of its reason.
    bool (*takes_context)(const Hook& hook);

    core::Millis hold;             ///< how long a kPre may wait; just under the agent's own limit
    core::Millis hold_permission;  ///< the same of a kPermission
    /// A kPermission comes for calls that the agent's own rules allow, too, so that most have no
    /// dialog.
    bool asks_always = false;
    bool edits_in_dialog = false;  ///< a kPermission takes other arguments; else they are refused
    bool has_call_ids = false;     ///< otherwise HookCall::call is made of the call's content
    bool reports_tokens = false;   ///< so that telemetry must not
    bool reports_cost = false;     ///< the same
    bool reports_rounds = false;   ///< by a kBatch or Hook::round
    bool goes_on = false;          ///< HookReply::go_on makes it go on after a kStop
    bool stops_hard = false;       ///< a hard stop ends the agent; otherwise it refuses calls
};

/// Null for a name that is unknown.
const Dialect* find_dialect(std::string_view name);

/// All of them, in the order of their names.
std::span<const Dialect* const> all_dialects();

}  // namespace headway::api::hooks
