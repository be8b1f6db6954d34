// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "cli/base/json.hpp"

// Parts that are taken from a line that was read as a JSON value.

namespace headway::cli {

inline constexpr std::size_t kShortTextBytesMax = 512;  ///< "string" of API.md

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

}  // namespace headway::cli
