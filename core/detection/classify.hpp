// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/calls/call_fingerprint.hpp"

// Classifies a call and its outcome by names, commands and messages. Pure; linear in the text.

namespace headway::core {

struct ErrorReported;
struct ToolFinished;

/// The kind of a call to a text editor: the call has a path, and its `command` is a verb such as
/// `view` or `str_replace`. Nothing if `command` is a shell command or empty. A tool of class
/// `edit` never runs a shell, whatever the command.
std::optional<CallKind> kind_of_editing(std::string_view tool, std::string_view command,
                                        bool has_path);

/// The kind of a call. `command` is the shell command of the call, or empty. If the name of `tool`
/// is specific, the name alone decides.
CallKind kind_of_call(std::string_view tool, std::string_view command);

/// True for a successful edit whose content is unknown, because no arguments, digest or result were
/// reported. It may or may not repeat another edit.
bool is_blind_edit(const CallFingerprint& fingerprint, const ToolFinished& call);

/// The path at the end of a shell command, or the path to which it redirects; empty if there is
/// none.
std::string_view path_in_command(std::string_view command);

/// The kind of failure for an error class that a client reported; kNone for an unknown name.
FailureKind failure_of_class(std::string_view error_class);

/// The kind of failure for an error class in the result of a tool: there, a timeout or an
/// unreachable network concerns the tool (kTimeout, kNetwork), not the model's provider.
FailureKind failure_of_tool_class(std::string_view error_class);

/// The kind of failure for an HTTP status from 400 up; kNone for a lower one.
FailureKind failure_of_status(std::uint64_t status);

/// The kind of an error that an agent reports: judged by its class, status or message. A 4xx
/// without a tool means that the model's API rejects the request.
FailureKind failure_of_error(const ErrorReported& error);

/// The kind of failure that a message describes; kOther if its words are unknown.
FailureKind failure_of_message(std::string_view message);

/// The kind of failure that a message in the result of a tool describes. The kind is the one that
/// failure_of_tool_class() gives for the same failure.
FailureKind failure_of_tool_message(std::string_view message);

/// True for an empty result or a bare acknowledgement ("ok", "true", "[]", "sent"). Such a result
/// is the same for every call, so it carries no information.
bool is_trivial(std::string_view result);

/// True if the result reports that something has not finished ("still running", "pending").
bool says_running(std::string_view result);

/// True if the call measures timings: a benchmark, a profile, a measured rate.
bool is_measurement(std::string_view command, std::string_view result);

/// Number of failed tests or checks that a result reports; nothing if it reports none.
std::optional<std::uint64_t> failing_count(std::string_view result);

/// The first line that states an error in a message, or in the output of a failed test run. At most
/// 200 bytes, without line numbers and without the parts that append_masked() masks.
std::string diagnostic_line(std::string_view text);

}  // namespace headway::core
