// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/json/json_document.hpp"

// JSON in what a language model says: between prose, in code fences, behind its thoughts, cut off.

namespace headway::api {

/// Without thoughts: what stands behind the last </think> (or </thinking>), and before one that is
/// opened after it and never closed. A view into `text`. Pure.
std::string_view without_thoughts(std::string_view text);

/// Parses the last object in `text` that has a member of one of these names and lies in no other
/// that has; false when there is none. When the text ends inside a string of such an object, one
/// level deep, the string and the object count as closed there: a reason that was cut off does not
/// cost the answer. At most limits::kJudgeObjectsMax braces are looked at, behind them nothing is
/// found.
bool parse_last_object(std::string_view text, std::span<const std::string_view> names,
                       JsonDocument& document);

}  // namespace headway::api
