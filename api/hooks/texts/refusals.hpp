// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// Phrases with which agents report that they themselves refused a call: because of a rule, a mode,
// a classifier, a hook or their own dialog. There is one table for each agent, and it names the
// version from which the phrases were taken. A missing phrase does not turn a refusal into a
// success, because phrases only classify failures. For the dialects and the readers of agents'
// lines; pure.

namespace headway::api::hooks {

/// The agent whose phrases says_refused() looks for.
enum class Refusing { kOfClaude, kOfCodex, kOfCopilot, kOfCline, kOfGemini, kOfOpencode, kOfQwen };

/// True if the first kRefusalBytesRead bytes of `words` contain one of the agent's phrases. Linear
/// in these bytes.
bool says_refused(Refusing agent, std::string_view words);

inline constexpr std::size_t kRefusalBytesRead = 400;

}  // namespace headway::api::hooks
