// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/json/json_document.hpp"

// Finds JSON in the output of a language model, where it may be within prose, in code fences, after
// thoughts, or cut off.

namespace headway::api {

/// The text without thoughts: from the last </think> (or </thinking>) to the next <think> (or
/// <thinking>) or the end, trimmed. A view into `text`. Pure.
std::string_view without_thoughts(std::string_view text);

/// Parses the last object in `text` that has a member with one of `names` and is not inside another
/// such object; false if there is none. If the text ends inside a string that is a direct member of
/// such an object, the string and the object are taken as closed there, so that an answer with a
/// truncated reason is not lost. Also false if `text` has more than limits::kJudgeObjectsMax braces
/// to try.
bool parse_last_object(std::string_view text, std::span<const std::string_view> names,
                       JsonDocument& document);

}  // namespace headway::api
