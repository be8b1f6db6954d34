// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/top_view.hpp"

// What `headway top` was told, read without ever throwing on what another daemon might send.

namespace headway::cli::top {

using nlohmann::json;

/// A member of an object, or null.
const json& at(const json& object, const char* name);
/// A member that is a list, or an empty one.
const json& list_at(const json& object, const char* name);
/// A member as one clean line; empty for none.
std::string text_at(const json& object, const char* name);

/// The place of a session in the rows; 0 when it is not there.
std::size_t index_of(const json& rows, const std::string& id);
/// The row of a session, or null.
const json* row_of(const json& data, const std::string& id);
/// What needs a person.
const json& needs_of(const json& data);
/// Whether the person can see what is decided: it was read, and is that one.
bool sees_it(const TopState& state, const json& data);

}  // namespace headway::cli::top
