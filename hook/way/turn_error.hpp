// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// The error that ended a turn, and the time at which the provider accepts requests again. Hooks
// report neither, but the agent's own record of the session has both. Only a class, a status and a
// time are taken from the record.

namespace headway::hook {

/// A member is empty if the record does not have it.
struct TurnError {
    std::string error_class;  ///< the agent's name for the error
    std::string status;       ///< HTTP status
    std::string retry_at;     ///< seconds since 1970
};

/// The error that ended the last turn in Claude's transcript. Pure, linear.
TurnError error_in_transcript(std::string_view tail);
/// Like error_in_transcript(), for Codex's rollout. `retry_at` is the time at which all exhausted
/// usage windows have been reset. Pure, linear.
TurnError error_in_rollout(std::string_view tail);

/// The error before this hook, if the hook is one that may follow an error: Claude's StopFailure or
/// Codex's SessionEnd. Reads the record that the body names.
TurnError turn_error_of(std::string_view agent, std::string_view body);

}  // namespace headway::hook
