// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/json.hpp"

// One line of a recording: what is read of it, and the event that it stands for.

namespace headway::cli {

/// Takes NUL out of every text: the daemon refuses it, and recordings of shells hold some. Pure.
void drop_nul(Json& value);

/// Whether the member is there and not null. Pure.
bool has(const Json& line, const char* name);

/// At most as long as a string of API.md may be; JSON for what is no text. Pure.
std::string short_text(const Json& value);

// Copy a member if it is there, the last one if it is an integer. Pure.
void copy_string(const Json& line, const char* from, Json& data, const char* to);
void copy_as_is(const Json& line, const char* from, Json& data, const char* to);
void copy_integer(const Json& line, const char* from, Json& data, const char* to);

struct AgentEvent {
    const char* type;
    Json data;
};

/// What an agent's line of this type stands for; nothing: it is skipped. Pure.
std::optional<AgentEvent> event_of(const std::string& type, const Json& line);

}  // namespace headway::cli
