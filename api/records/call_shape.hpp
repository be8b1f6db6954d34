// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "api/json/canonical_json.hpp"
#include "core/events/work_payloads.hpp"

// Sets CallFingerprint::shape: properties of a call and its answer that are not part of the
// fingerprint's `question` and `outcome`. Functions change only arguments.

namespace headway::api {

inline constexpr std::size_t kShapeBytesMax = 4096;  ///< the longest command that is examined
inline constexpr std::size_t kEchoBytesMax = 512;    ///< the longest answer in which echoed
                                                     ///< arguments are masked

/// Sets the shape of an edit of the file `path` that gives old and new text, or the whole content
/// of a file. False for an edit that names lines instead of an old text, because such an edit has
/// another effect when repeated.
bool shape_edit(core::CallFingerprint& fingerprint, std::optional<JsonValue> args,
                std::string_view path);

/// The requested action of a tool that represents a screen; empty for other tools, because an agent
/// could give them any `action`.
std::string_view action_of(std::string_view tool, const std::optional<JsonValue>& args);

/// Sets the properties that the words of a call and its answer show: whether it acts, guards,
/// sleeps, only looks, and so on.
void shape_call(core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                const std::optional<JsonValue>& args, std::string_view command,
                std::string_view result);

/// True for a long poll: an argument makes the call wait for 10 s or more.
bool waits_as_asked(const std::optional<JsonValue>& args);

/// Recognises a failure that only means "not yet". Either the command queries a status, and fails
/// while work is pending. Or it first sleeps for at least 10 s, and then finds that work is
/// pending, a lock is held or a port is closed. Any other failure may be the agent's own error,
/// which a short sleep does not excuse.
void shape_not_yet(core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                   std::string_view command, std::string_view result);

/// Simplifies `canonical`, the canonical text of the answer. All edits of files get the same text,
/// since their arguments identify them. For other calls that submit something, the answer is a
/// receipt: receipts that differ only in an id, a counter or a size become equal, and "queued" in a
/// receipt does not mean that the call waits for something.
void shape_receipt(core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                   const std::optional<JsonValue>& args, std::string_view command,
                   std::string_view plain, std::string& canonical);

}  // namespace headway::api
