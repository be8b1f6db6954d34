// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "api/hooks/hook.hpp"

// The words of replies. Internal to the dialects; pure. All texts have at most kReplyTextBytesMax
// bytes, with a "…" where more was to be said.

namespace headway::api::hooks {

inline constexpr std::string_view kNothing = "{}";

/// Either kind of stop.
bool stops(const HookReply& reply);
/// The call must not run, whatever the reason; `undecided` is left to the dialect.
bool refuses(const HookReply& reply);

/// The person or rule that allowed the call.
std::string allow_words(const HookReply& reply);
/// The answer of a person.
std::string answer_words(const HookReply& reply);
/// Why the agent is stopped hard.
std::string stop_words(const HookReply& reply);
/// Why a call does not run, for a reply that refuses or is undecided. The other texts of the reply
/// are appended: the model reads the reason.
std::string refusal_words(const HookReply& reply);
/// Texts for the model.
/// Why the agent does not stop; empty at other hooks, and after a stop.
std::string go_on_words(const Hook& hook, const HookReply& reply);
std::string context_words(const HookReply& reply);
/// For agents that cannot be handed other arguments: why the call does not run as it is.
std::string edit_words(const HookReply& reply);

}  // namespace headway::api::hooks
