// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/events/work_payloads.hpp"

// Actions that do something, and checks that pass: an agent that works through a list of items has
// an action for each and one check behind it, and both may always answer alike.

namespace headway::api {

/// True if the answer of a check says that all is well: it has a word for it ("ok", "no issues",
/// `"errors": 0`) or is empty, names no fault, and asks for nothing.
bool says_all_well(std::string_view result);

/// True if the answer of an action reports no fault, asks for nothing, and does not say that there
/// was nothing to do.
bool says_it_was_done(std::string_view result);

/// The command without what does not change its effect: comments, words for people (echo), sleeps,
/// counters of attempts, and files in a temporary folder to which it writes its output. Nothing if
/// all of the command counts.
std::optional<std::string> deed_in(std::string_view command);

/// Sets CallFingerprint::deed and Shape::kPasses. The rest of the fingerprint must be complete.
/// `plain` is the answer without the frame of the platform.
void shape_deed(core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                std::string_view command, std::string_view plain);

}  // namespace headway::api
