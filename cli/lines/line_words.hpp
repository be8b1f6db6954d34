// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cli/json.hpp"
#include "cli/lines/agent_line.hpp"

// The events that several formats have in common. Pure.

namespace headway::cli {

void add_started(AgentLine& line, const Json& call_id, std::string_view tool, const Json& args);
void add_succeeded(AgentLine& line, const Json& call_id, const Json& result);
void add_failed(AgentLine& line, const Json& call_id, std::string_view error_class,
                std::string_view message);
/// Nothing for an empty text.
void add_message(AgentLine& line, std::string_view role, std::string_view text);
void add_error(AgentLine& line, std::string_view message, bool retryable);
/// The agent is at work in a session with this id of its own, with this model.
void add_beginning(AgentLine& line, std::string_view agent, std::string_view session,
                   std::string_view model);

/// Text, or the texts in a list of `{"type":"text","text":...}`; JSON of anything else.
std::string text_of_content(const Json& content);

/// An error as agents write it: text, or an object with a `message`, perhaps in `data`.
std::string text_of_error(const Json& error);

}  // namespace headway::cli
