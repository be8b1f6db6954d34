// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/call_print.hpp"

// What a call and its outcome are, read from names, commands and messages. Pure; linear in the
// text.

namespace headway::core {

struct ErrorReported;

/// `command` is the shell command of the call, or empty. `tool` decides where it says something.
CallKind kind_of_call(std::string_view tool, std::string_view command);

/// The path a shell command ends in or redirects to, or empty.
std::string_view path_in_command(std::string_view command);

/// What an error class of a client stands for; kNone for a name nobody knows.
FailureKind failure_of_class(std::string_view error_class);

/// The same in a tool's own result, where a timeout and a network that cannot be reached are the
/// tool's (kTimeout, kNetwork) and no word of the model's provider.
FailureKind failure_of_tool_class(std::string_view error_class);

/// Of an HTTP status from 400 on; kNone below.
FailureKind failure_of_status(std::uint64_t status);

/// Of an error that an agent reports: by its class, its status, its words. A 4xx without a tool is
/// the model's API that refuses the request.
FailureKind failure_of_error(const ErrorReported& error);

/// Read from the words of a message; kOther when they tell nothing.
FailureKind failure_of_message(std::string_view message);

/// An empty result or a bare acknowledgement ("ok", "true", "[]", "sent"): the same for every
/// question, so it answers none.
bool is_trivial(std::string_view result);

/// Whether the result says that something has not finished ("still running", "pending").
bool says_running(std::string_view result);

/// Whether timings are what the call asks for: a benchmark, a profile, a measured rate.
bool is_measurement(std::string_view command, std::string_view result);

/// How many tests or checks a result calls failed or in error; nothing when it counts none.
std::optional<std::uint64_t> failing_count(std::string_view result);

/// The first line of a message or of a red run's output that says what is wrong, at most 200 bytes,
/// without line numbers and what append_masked() masks.
std::string diagnostic_line(std::string_view text);

}  // namespace headway::core
