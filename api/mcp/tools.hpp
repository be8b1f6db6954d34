// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "api/hooks/dialect.hpp"
#include "api/mcp/rpc.hpp"

// The tools of Headway's MCP server: approve, ask_human and status. A tool call is treated as a
// hook, so its reply may wait for a person.

namespace headway::api::mcp {

/// The result of `tools/list`, constant.
std::string_view tool_list();

/// A tool call as a hook, without a session. Error: kInvalidField, with a text for the model about
/// the wrong argument.
core::Result<hooks::Hook> read_call(const Message& message);

/// The dialect of such hooks: its render() turns the reply to a hook into the result of the tool
/// call. This dialect is not in the table of dialects, and its parse() reads nothing.
extern const hooks::Dialect kDialect;

}  // namespace headway::api::mcp
