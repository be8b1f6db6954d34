// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "api/json/canonical_json.hpp"
#include "core/events/work_payloads.hpp"

// Properties of a call and its answer besides question and outcome: CallFingerprint::shape. Pure.

namespace headway::api {

inline constexpr std::size_t kShapeBytesMax = 4096;  ///< of a command whose words are looked at
inline constexpr std::size_t kEchoBytesMax = 512;    ///< of an answer that only says what was asked

/// An edit by its old and new text, or by the whole content of a file. False for one that names
/// lines: made again, it leaves something else.
bool shape_edit(core::CallFingerprint& fingerprint, std::optional<JsonValue> args);

/// The requested action of a tool that stands for a screen. Other tools have none here: any agent
/// could write one.
std::string_view action_of(std::string_view tool, const std::optional<JsonValue>& args);

/// Actions, guards, sleeps, looks and all else that the words of call and answer show.
void shape_call(core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                const std::optional<JsonValue>& args, std::string_view command,
                std::string_view result);

/// True for a long poll: an argument says that it waits for 10 s and more.
bool waits_as_asked(const std::optional<JsonValue>& args);

/// Reads the state of something that runs elsewhere from the answer.
void shape_state(core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                 std::string_view command, std::string_view result);

/// A failure that only says "not yet": of a command that asks for a status and exits with one while
/// it is pending, or that sleeps first (10 s at least) and finds it pending, a lock held or a port
/// closed. Anything else may be an error of the agent's own, and a short sleep excuses none.
void shape_not_yet(core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                   std::string_view command, std::string_view result);

/// An edit of a file is identified by its arguments, whatever it prints. The answer of other calls
/// that hand something in is a receipt: receipts that differ by an id, a counter or a size are the
/// same.
void shape_receipt(const core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                   std::string_view command, std::string_view plain, std::string& canonical);

}  // namespace headway::api
