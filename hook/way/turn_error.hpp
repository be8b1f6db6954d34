// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// By what error a turn ended, and when its provider takes requests again: what hooks do not say and
// the agent's own record of the session does. Only a class, a status and a time leave the record.

namespace headway::hook {

/// Each is empty where the record does not say it.
struct TurnError {
    std::string error_class;  ///< as the agent names it
    std::string status;       ///< of HTTP
    std::string retry_at;     ///< seconds since 1970
};

/// The error with which the last turn in Claude's transcript ended. Pure, linear.
TurnError error_in_transcript(std::string_view tail);
/// The same of Codex's rollout: the time is the latest at which a window that is used up begins
/// again. Pure, linear.
TurnError error_in_rollout(std::string_view tail);

/// The error behind a hook that may follow one: Claude's StopFailure, Codex's SessionEnd. Reads the
/// record that the body names.
TurnError turn_error_of(std::string_view agent, std::string_view body);

}  // namespace headway::hook
