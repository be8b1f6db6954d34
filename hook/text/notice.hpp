// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// A daemon that refuses the token supervises nothing, and no agent stops for that. So a person is
// shown it where one is likely to look: at the beginning of a session and at each prompt, not at
// each call. Pure.

namespace headway::hook {

/// True for a status with which a daemon refuses the token of a hook.
bool is_refusal(int status) noexcept;

/// The cause and the fix, as the end of a sentence, for such a status.
std::string refusal_words(std::string_view agent, int status);

struct Notice {
    std::string line;   ///< for standard error; empty: nothing is shown now
    std::string reply;  ///< the notice in the form that the agent shows to the user, if the agent
                        ///< has such a form
};

/// The notice of a refusal for this hook event.
Notice refusal_notice(std::string_view agent, std::string_view body, int status);

}  // namespace headway::hook
