// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// If the daemon refuses the token of a hook, the agent continues to work without supervision.
// Therefore a person gets a notice where it is likely to be seen: at the beginning of a session and
// at each prompt, not at each call. Pure.

namespace headway::hook {

/// True for a status with which a daemon refuses the token of a hook.
bool is_refusal(int status) noexcept;

/// The cause and the fix of a refusal with this status, as the end of a sentence.
std::string refusal_words(std::string_view agent, int status);

/// True for the hook before a call, by the names of all agents. The body may be cut.
bool is_before_call(std::string_view body) noexcept;

/// The reason for refusing a call whose hook is longer than the daemon accepts.
inline constexpr std::string_view kTooLongToCheck =
    "this call may not run, since Headway checks 16 MiB of a call at most; split it";

struct Notice {
    std::string line;   ///< for standard error; empty if nothing is to be shown now
    std::string reply;  ///< the notice in the form that the agent shows to the user, if the agent
                        ///< has such a form
};

/// The notice about a refusal with this status, to show at this hook event.
Notice refusal_notice(std::string_view agent, std::string_view body, int status);

}  // namespace headway::hook
