// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/events/work_payloads.hpp"

// Actions that change something, and checks that pass. An agent that works through a list makes an
// action and then a check for each item, and the answers may be the same for all items.

namespace headway::api {

/// True if the answer of a check reports success: it is empty, or it contains a word such as "ok",
/// "no issues" or `"errors": 0`, reports no fault, and asks for nothing.
bool says_all_well(std::string_view result);

/// True if the answer of an action reports no fault, asks for nothing, and does not report that
/// there was nothing to do.
bool says_it_was_done(std::string_view result);

/// The command without the parts that do not change its effect: comments, messages for people
/// (echo), sleeps, counters of attempts, and files in a temporary folder to which it writes its
/// output. Nothing if there are no such parts.
std::optional<std::string> deed_in(std::string_view command);

/// Sets CallFingerprint::deed and Shape::kPasses. The rest of the fingerprint must be complete.
/// `plain` is the answer without the parts that the platform adds.
void shape_deed(core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                std::string_view command, std::string_view plain);

}  // namespace headway::api
