// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "core/values/cause.hpp"

// The tables behind stop_of() (core/detection/provider_stop.hpp). Pure.

namespace headway::core {

/// Bytes read of a message: errors name their cause at the beginning.
inline constexpr std::size_t kErrorBytesRead = 1024;

/// A typed name of an error class.
struct CauseName {
    std::string_view name;  ///< lower case letters and digits only
    Cause cause = Cause::kNone;
    bool vague = false;  ///< status and words may be more exact
};

/// The class by its name in any spelling (`rate_limit`, `RateLimit`); null if it is not known.
const CauseName* find_cause_name(std::string_view error_class);

/// The cause by the words of a message; kNone without a known cause.
Cause cause_of_words(std::string_view message);

/// True if the words are a note of something that does not stop the agent: a limit that comes
/// nearer, the agent's own retry, a hook's rule.
bool is_note(std::string_view message);

}  // namespace headway::core
