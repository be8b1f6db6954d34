// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/hooks/hook.hpp"
#include "api/json/json_document.hpp"
#include "core/base/time.hpp"

namespace headway::api::hooks {

/// How one agent writes its hooks, and which replies it obeys. All functions are pure.
struct Dialect {
    std::string_view name;  ///< as in the route's path

    /// Never fails: unknown members are skipped, members of a wrong type are taken as absent, and
    /// an unknown event or a body without a session is a kNone. The hook has values of `body`'s
    /// document.
    Hook (*parse)(JsonValue body, const HookFacts& facts);

    /// The reply in the agent's own form, one JSON object: only members that the agent was seen to
    /// obey at this event. `{}` if there are none, and always for a kNone.
    std::string (*render)(const Hook& hook, const HookReply& reply);

    /// True if a reply's texts reach the model at this event, so that they need not be repeated.
    /// Never with a hard stop; always with a refusal, as part of its reason.
    bool (*takes_context)(const Hook& hook);

    core::Millis hold;             ///< longest wait of a kPre; just under the agent's own limit
    core::Millis hold_permission;  ///< longest wait of a kPermission
    /// The agent sends a kPermission also for calls that its own rules allow, so that most have no
    /// dialog.
    bool asks_always = false;
    bool edits_calls = true;       ///< a kPre may change arguments; else the call is refused
    bool edits_in_dialog = false;  ///< a kPermission may change arguments; else the call is refused
    bool has_call_ids = false;     ///< otherwise HookCall::call is derived from the call's content
    bool reports_tokens = false;   ///< then tokens from telemetry are ignored
    bool reports_cost = false;     ///< then cost from telemetry is ignored
    bool reports_rounds = false;   ///< with a kBatch or Hook::round
    bool goes_on = false;          ///< HookReply::go_on makes the agent continue after a kStop
    bool stops_hard = false;       ///< a hard stop ends the agent; otherwise it refuses calls
};

/// The dialect of this name; null for an unknown name.
const Dialect* find_dialect(std::string_view name);

/// All dialects, sorted by name.
std::span<const Dialect* const> all_dialects();

}  // namespace headway::api::hooks
