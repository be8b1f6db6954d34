// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// How agents say that they refused a call themselves: a rule, a mode, a classifier, a hook or their
// own dialog. One table for each agent, with the version in which its phrases were read. A phrase
// that is missing makes no success of a call: these only name what is unnamed. For the dialects and
// the readers of agents' lines; pure.

namespace headway::api::hooks {

/// The phrases of one agent, where a call's own words would stand.
enum class Refusing { kOfClaude, kOfCodex, kOfCopilot, kOfCline, kOfGemini, kOfQwen };

/// True if these words, or their beginning, say that the call was refused. Linear in the first
/// kRefusalBytesRead bytes.
bool says_refused(Refusing agent, std::string_view words);

inline constexpr std::size_t kRefusalBytesRead = 400;

}  // namespace headway::api::hooks
