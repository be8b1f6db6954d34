// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/text/text.hpp"

namespace headway::api {

/// Differences between a call's arguments `now` and the arguments `before` of the tool's last call
/// (null: no earlier call): new or changed members, names of removed members, number of equal
/// members. Inert (data_fence.hpp), without secrets, at most limits::kJudgeArgsBytesMax bytes.
/// Empty without arguments. Pure.
std::string args_change(const core::Json* before, const core::Json& now);

/// JSON for people: a string's content, any other value's JSON text. Pure.
std::string plain_text(const core::Json& json);

}  // namespace headway::api
