// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "core/values/cause.hpp"

// Tables used by stop_of() (core/detection/provider_stop.hpp). Pure.

namespace headway::core {

/// Bytes of a message that are read: errors name their cause at the beginning.
inline constexpr std::size_t kErrorBytesRead = 1024;

/// The name of an error class.
struct CauseName {
    std::string_view name;  ///< lower case letters and digits only
    Cause cause = Cause::kNone;
    bool vague = false;  ///< the status or the words of the error may name the cause more exactly
};

/// The class of this name, in any spelling (`rate_limit`, `RateLimit`); null if it is not known.
const CauseName* find_cause_name(std::string_view error_class);

/// The cause that the words of a message name; kNone if they name no known cause.
Cause cause_of_words(std::string_view message);

/// True if the message is only a note about something that does not stop the agent: a limit that is
/// not reached yet, the agent's own retry, a rule of a hook.
bool is_note(std::string_view message);

}  // namespace headway::core
