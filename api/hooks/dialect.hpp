// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/hooks/hook.hpp"
#include "api/json/json_document.hpp"
#include "core/base/time.hpp"

namespace headway::api::hooks {

/// How one agent writes its hooks, and which replies to them it obeys. All functions are pure.
struct Dialect {
    std::string_view name;                      ///< the name in the route's path
    std::string_view pre_event = "PreToolUse";  ///< the event of a kPre, as the body names it

    /// Reads the body of a hook. Never fails: unknown members are skipped, members of a wrong type
    /// are taken as absent, and an unknown event or a body without a session becomes a kNone. The
    /// hook refers to values in the document of `body`.
    Hook (*parse)(JsonValue body, const HookFacts& facts);

    /// The reply in the agent's own form, one JSON object. It has only members that the agent is
    /// known to obey at this event. It is `{}` if there are no such members, and always for a
    /// kNone.
    std::string (*render)(const Hook& hook, const HookReply& reply);

    /// True if a reply's texts reach the model at this event, so that they need not be repeated.
    /// Regardless of this result, a hard stop delivers no texts, and a refusal always delivers
    /// them, as part of its reason.
    bool (*takes_context)(const Hook& hook);

    core::Millis hold;             ///< longest wait of a kPre; just under the agent's own limit
    core::Millis hold_permission;  ///< longest wait of a kPermission
    /// The agent sends a kPermission even for calls that its own rules allow, so most kPermissions
    /// come without a dialog.
    bool asks_always = false;
    bool edits_calls = true;       ///< the reply to a kPre can change the call's arguments; else an
                                   ///< edited call is refused
    bool edits_in_dialog = false;  ///< the reply to a kPermission can change the call's arguments;
                                   ///< else an edited call is refused
    bool has_call_ids = false;     ///< calls have ids; otherwise HookCall::call is derived from
                                   ///< their content
    bool reports_tokens = false;   ///< hooks report tokens, so tokens from telemetry are ignored
    bool reports_cost = false;     ///< hooks report cost, so cost from telemetry is ignored
    bool reports_rounds = false;   ///< hooks report rounds, by a kBatch or Hook::round
    bool goes_on = false;          ///< HookReply::go_on makes the agent continue after a kStop
    bool stops_hard = false;       ///< a hard stop ends the agent; otherwise a hard stop refuses
                                   ///< calls
};

/// The dialect of this name; null for an unknown name.
const Dialect* find_dialect(std::string_view name);

/// True if a body that cannot be parsed seems to be a kPre, because it contains `"hook_event_name":
/// "PreToolUse"`. May also be true for another event that contains this text. Pure.
bool names_pre(const Dialect& dialect, std::string_view body);

/// All dialects, sorted by name.
std::span<const Dialect* const> all_dialects();

}  // namespace headway::api::hooks
