// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "api/hooks/hook.hpp"

// The texts of replies. Internal to the dialects; pure. All texts have at most kReplyTextBytesMax
// bytes, with a "…" where text was cut.

namespace headway::api::hooks {

inline constexpr std::string_view kNothing = "{}";

/// True for either kind of stop.
bool stops(const HookReply& reply);
/// True if the call must not run, for any reason except `undecided`, which the dialect handles.
bool refuses(const HookReply& reply);

/// The person or rule that allowed the call.
std::string allow_words(const HookReply& reply);
/// The answer of a person.
std::string answer_words(const HookReply& reply);
/// Why the agent is stopped hard.
std::string stop_words(const HookReply& reply);
/// Why a call does not run, for a reply that refuses it or is undecided. The other texts of the
/// reply are appended, because the model reads this reason.
std::string refusal_words(const HookReply& reply);
/// Texts for the model. go_on_words() returns the reason to continue after a kStop; this text is
/// empty for other hooks, and if the reply orders the agent to stop.
std::string go_on_words(const Hook& hook, const HookReply& reply);
std::string context_words(const HookReply& reply);
/// Why a call that a person has edited does not run; for agents that do not accept changed
/// arguments.
std::string edit_words(const HookReply& reply);

}  // namespace headway::api::hooks
