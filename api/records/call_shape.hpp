// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "api/json/canonical_json.hpp"
#include "core/events/work_payloads.hpp"

// Properties of a call and its answer other than question and outcome: CallFingerprint::shape.
// Pure.

namespace headway::api {

inline constexpr std::size_t kShapeBytesMax = 4096;  ///< longest command whose words are read
inline constexpr std::size_t kEchoBytesMax = 512;    ///< longest answer whose echoes are masked

/// Sets the shape of an edit by old and new text, or by a file's whole content. False for an edit
/// that names lines instead of an old text: repeated, it has another effect.
bool shape_edit(core::CallFingerprint& fingerprint, std::optional<JsonValue> args);

/// The requested action of a tool that represents a screen; empty for other tools, to which an
/// agent could pass any action.
std::string_view action_of(std::string_view tool, const std::optional<JsonValue>& args);

/// Sets the properties that the words of call and answer show: actions, guards, sleeps, looks and
/// others.
void shape_call(core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                const std::optional<JsonValue>& args, std::string_view command,
                std::string_view result);

/// True for a long poll: by an argument, the call waits for 10 s or more.
bool waits_as_asked(const std::optional<JsonValue>& args);

/// Reads from the answer the state of work that runs elsewhere.
void shape_state(core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                 std::string_view command, std::string_view result);

/// Recognises a failure that only means "not yet": a command asks for a status and fails while work
/// is pending; or it first sleeps (at least 10 s) and then finds work pending, a lock held or a
/// port closed. Any other failure may be the agent's own error, which a short sleep does not
/// excuse.
void shape_not_yet(core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                   std::string_view command, std::string_view result);

/// Simplifies `canonical`, the answer's canonical text. File edits get one text for all outputs,
/// since their arguments identify them. The answer of other calls that submit something is a
/// receipt: receipts that differ only by an id, a counter or a size become equal.
void shape_receipt(const core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                   std::string_view command, std::string_view plain, std::string& canonical);

}  // namespace headway::api
