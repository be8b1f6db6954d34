// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "api/hooks/dialect.hpp"
#include "api/mcp/rpc.hpp"

// The tools of Headway's MCP server: approve, ask_human and status. A call of one of them is
// treated as a hook, whose answer may wait for a person.

namespace headway::api::mcp {

/// The result of `tools/list`, constant.
std::string_view tool_list();

/// A call of a tool as a hook, without a session. Error: kInvalidField, with what is missing, for
/// the model.
core::Result<hooks::Hook> read_call(const Message& message);

/// Renders the answer to such a hook, as the result of its request. It is in no table of dialects:
/// its parse() reads nothing.
extern const hooks::Dialect kDialect;

}  // namespace headway::api::mcp
