// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/text/text.hpp"

namespace headway::api {

/// Differences between the arguments `now` of a call and `before`, those of the last call of that
/// tool (null: there was none): members that are new or differ, names of those that are gone, how
/// many stayed. Inert (data_fence.hpp), without secrets, at most limits::kJudgeArgsBytesMax. Empty
/// when there are no arguments. Pure.
std::string args_change(const core::Json* before, const core::Json& now);

/// JSON text for people: of a string what is in it, of anything else its text. Pure.
std::string plain_text(const core::Json& json);

}  // namespace headway::api
