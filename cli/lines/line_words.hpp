// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/base/json.hpp"
#include "cli/lines/agent_line.hpp"

// The events that several formats have in common. Pure.

namespace headway::cli {

void add_started(AgentLine& line, const Json& call_id, std::string_view tool, const Json& args);
void add_succeeded(AgentLine& line, const Json& call_id, const Json& result);
void add_failed(AgentLine& line, const Json& call_id, std::string_view error_class,
                std::string_view message);
/// Nothing for an empty text.
void add_message(AgentLine& line, std::string_view role, std::string_view text);

/// An error that the agent tells. It is passed on as it is said: the daemon knows what it means.
struct ToldError {
    std::string message;
    std::string error_class = {};  ///< the agent's typed name of it
    std::optional<std::uint64_t> status = {};
    std::optional<bool> retryable = {};
    bool ends_turn = false;
    std::optional<std::uint64_t> retry_in_ms = {};
    /// Seconds since 1970 at which the provider accepts requests again.
    std::optional<std::uint64_t> retry_at_s = {};
};
void add_error(AgentLine& line, const ToldError& error);

/// The agent is at work in a session with this id of its own, with this model.
void add_beginning(AgentLine& line, std::string_view agent, std::string_view session,
                   std::string_view model);

/// Text, or the texts in a list of `{"type":"text","text":...}`; JSON of anything else.
std::string text_of_content(const Json& content);

/// An error as agents write it: text, or an object with a `message`, perhaps in `data`.
std::string text_of_error(const Json& error);

/// An HTTP status from 400 to 599; nothing for any other value.
std::optional<std::uint64_t> status_of(const Json& value);

/// The HTTP status that stands where agents write one: in front ("429 Rate limit"), behind
/// "API Error: ", behind "status " or as "code" of JSON in the text. Pure; looks at the first KiB.
std::optional<std::uint64_t> status_in(std::string_view words);

/// `all` without `part`, which is counted in it; 0 if the part is greater.
constexpr std::uint64_t without(std::uint64_t all, std::uint64_t part) {
    return all > part ? all - part : 0;
}

/// Input and output as OpenAI counts them, with what was cached and what was thought inside.
LineTokens tokens_inside(std::uint64_t input, std::uint64_t cached, std::uint64_t cache_write,
                         std::uint64_t output, std::uint64_t reasoning);

}  // namespace headway::cli
