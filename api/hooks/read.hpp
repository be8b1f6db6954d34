// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/hooks/hook.hpp"
#include "api/json/json_document.hpp"

// Readers of bodies, for the dialects. They return an empty value for a member that is absent, null
// or of another type. Secrets in texts are redacted. Internal to the dialects; functions change
// only arguments.

namespace headway::api::hooks {

/// A member that is an object.
std::optional<JsonValue> object_in(JsonValue object, std::string_view name);
/// A member that is an array.
std::optional<JsonValue> array_in(JsonValue object, std::string_view name);
/// A string as text for people.
std::string text_in(JsonValue object, std::string_view name);
/// A string as received. It may contain secrets, so it is for digests only.
std::optional<std::string_view> exact_in(JsonValue object, std::string_view name);
/// A string that is a name: exact, of at most kHookNameBytesMax bytes, without control characters.
std::string name_in(JsonValue object, std::string_view name);
/// A short text in the agent's words, such as the name of a model: like a name, but secrets are
/// redacted. Not for ids, which have to stay distinct.
std::string phrase_in(JsonValue object, std::string_view name);
/// A string that is a path: like a name, but as long as a path may be.
std::string path_in(JsonValue object, std::string_view name);
/// A number of 0 or more, without its fraction.
std::optional<std::uint64_t> count_in(JsonValue object, std::string_view name);
std::optional<bool> flag_in(JsonValue object, std::string_view name);
/// True for a member that is null or an empty string; false if the member is missing.
bool is_empty_in(JsonValue object, std::string_view name);
/// Sets the text of a kNone for an event that the dialect does not know: the event's name and its
/// message. Does nothing for other kinds of hooks.
void note_unknown(JsonValue body, Hook& hook);
/// True if the result itself reports a failure, as MCP results can.
bool says_failed(JsonValue response);

/// The result of a call as text for people: a string, stdout and stderr, the joined text blocks, or
/// a file's content; otherwise compact JSON without members that repeat whole files.
std::string result_text(JsonValue response);

/// An id for a call that has none from the agent; equal for calls with the same tool and arguments.
std::string call_id_of(std::string_view tool, const std::optional<JsonValue>& args);
/// True if the id may come from call_id_of(), so that equal calls have the same id.
bool is_content_id(std::string_view call_id);

/// Maximum number of options of one question, as in a request for approval.
inline constexpr std::size_t kQuestionOptionsMax = 16;

/// Reads the options of a question, and sets an id that is the same for equal questions. A question
/// with more options keeps kQuestionOptionsMax + 1, so that the request is refused.
void read_question(JsonValue object, Hook& hook);

/// The number after `label` at the beginning of `text`.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view label);

/// Marks the call as failed, and moves its result into its error.
void fail(HookCall& call);

}  // namespace headway::api::hooks
