// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// Phrases in which agents report that they refused a call themselves: by a rule, a mode, a
// classifier, a hook or their own dialog. One table for each agent, with the version in which its
// phrases were read. A missing phrase does not turn a refusal into a success: phrases only classify
// failures. For the dialects and the readers of agents' lines; pure.

namespace headway::api::hooks {

/// The agent whose phrases may appear in place of a call's result.
enum class Refusing { kOfClaude, kOfCodex, kOfCopilot, kOfCline, kOfGemini, kOfQwen };

/// True if the first kRefusalBytesRead bytes of `words` report that the call was refused. Linear in
/// these bytes.
bool says_refused(Refusing agent, std::string_view words);

inline constexpr std::size_t kRefusalBytesRead = 400;

}  // namespace headway::api::hooks
