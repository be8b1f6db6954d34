// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/base/json.hpp"
#include "cli/lines/agent_line.hpp"

// The events that several formats have in common. Functions change only arguments.

namespace headway::cli {

void add_started(AgentLine& line, const Json& call_id, std::string_view tool, const Json& args);
void add_succeeded(AgentLine& line, const Json& call_id, const Json& result);
void add_failed(AgentLine& line, const Json& call_id, std::string_view error_class,
                std::string_view message);
/// Adds nothing for an empty text.
void add_message(AgentLine& line, std::string_view role, std::string_view text);

/// An error that the agent reports. It is passed on unchanged: the daemon interprets it.
struct ToldError {
    std::string message;
    std::string error_class = {};  ///< the agent's name for this type of error
    std::optional<std::uint64_t> status = {};
    std::optional<bool> retryable = {};
    bool ends_turn = false;
    std::optional<std::uint64_t> retry_in_ms = {};
    /// Seconds since 1970 at which the provider accepts requests again.
    std::optional<std::uint64_t> retry_at_s = {};
};
void add_error(AgentLine& line, const ToldError& error);

/// Records the agent, the agent's own id for the session that begins, and the model that it uses.
void add_beginning(AgentLine& line, std::string_view agent, std::string_view session,
                   std::string_view model);

/// Text, or the texts in a list of `{"type":"text","text":...}`; JSON for any other value.
std::string text_of_content(const Json& content);

/// False for white space, and for "(no content)", which agents write in place of an empty answer.
/// Pure.
bool has_words(std::string_view text);

/// An error as agents write it: text, or an object with `message` or `data.message`.
std::string text_of_error(const Json& error);

/// The innermost `message` of an error that is written as JSON, even if JSON was put into strings
/// several times. Returns `words` unchanged if they are not such an error. Only for the text of an
/// error, because other texts may contain any JSON. Pure.
std::string plain_words(std::string_view words);

/// An HTTP status from 400 to 599; nothing for any other value.
std::optional<std::uint64_t> status_of(const Json& value);

/// Reason for an end at the model's limit on the length of an answer.
inline constexpr std::string_view kCutOff =
    "its last answer was cut off: the model's limit of output";

/// The reason why a result in the form of Claude Code is not a success, from its `subtype` and
/// `is_error`; empty for a success. A result without these members is not a success.
std::string fault_of_result(const Json& line);

/// The HTTP status at a place where agents write one: at the start ("429 Rate limit"), after
/// "API Error: ", after "status " or as "code" of JSON in the text. Reads only the first KiB. Pure.
std::optional<std::uint64_t> status_in(std::string_view words);

/// True for a tool that starts a sub-agent. Pure.
bool starts_agent(std::string_view tool);

/// The command inside `/bin/bash -lc 'ls -la'`, the form in which Codex runs each command. Pure.
std::string_view inner_command(std::string_view line);

/// `all` minus `part`; 0 if `part` is greater.
constexpr std::uint64_t without(std::uint64_t all, std::uint64_t part) {
    return all > part ? all - part : 0;
}

/// Tokens from OpenAI's counts, in which input includes cached tokens and output includes
/// reasoning.
LineTokens tokens_inside(std::uint64_t input, std::uint64_t cached, std::uint64_t cache_write,
                         std::uint64_t output, std::uint64_t reasoning);

/// The sum of Claude's `modelUsage`.
LineTokens tokens_of_models(const Json& models);

/// Completes `error`, a request that the provider has refused, with the class and the reset time of
/// `limit`, an earlier line that reported that the plan's limit is reached. The line of the refusal
/// has neither. Does nothing for other errors.
void take_over_limit(const Json& limit, Json& error);

/// Merges two lines about one error: replaces `again` with `before` plus the details that only
/// `again` has. False if there are no such details.
bool take_details(const Json& before, Json& again);

/// If two usage windows are used up, sets the later of their reset times in `error`.
void keep_later_reset(const Json& before, Json& error);

}  // namespace headway::cli
