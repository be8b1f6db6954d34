// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "cli/base/json.hpp"

// Parts taken from a line that was read as a JSON value.

namespace headway::cli {

inline constexpr std::size_t kShortTextBytesMax = 512;  ///< maximum length of a "string" (API.md)

/// Removes NUL from every text: the daemon refuses NUL, and recordings of shells contain it.
/// Changes only `value`.
void drop_nul(Json& value);

/// True if the member exists and is not null. Pure.
bool has(const Json& line, const char* name);

/// The text, cut to the limit of a string in API.md; JSON for other values. Pure.
std::string short_text(const Json& value);

// Each of these copies a member if it exists and is not null; copy_integer() copies only an
// integer. Functions change only arguments.
void copy_string(const Json& line, const char* from, Json& data, const char* to);
void copy_as_is(const Json& line, const char* from, Json& data, const char* to);
void copy_integer(const Json& line, const char* from, Json& data, const char* to);

}  // namespace headway::cli
