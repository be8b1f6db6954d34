// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/text/text.hpp"

namespace headway::api {

/// The differences between a call's arguments, `now`, and those of the tool's previous call,
/// `before` (null if there was none): new and changed members, the names of removed members, and
/// the number of equal members. The text is inert (data_fence.hpp), without secrets, and has at
/// most limits::kJudgeArgsBytesMax bytes. Empty if the call has no arguments. Pure.
std::string args_change(const core::Json* before, const core::Json& now);

/// A JSON value as text for people: the content of a string, the JSON text of any other value.
/// Pure.
std::string plain_text(const core::Json& json);

}  // namespace headway::api
