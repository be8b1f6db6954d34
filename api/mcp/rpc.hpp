// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/json/json_document.hpp"
#include "core/base/result.hpp"

// Messages of the Model Context Protocol over HTTP: JSON-RPC 2.0, one message in a body
// (https://modelcontextprotocol.io/specification/2025-06-18/basic/transports). Pure.

namespace headway::api::mcp {

// Codes of errors (JSON-RPC 2.0, 5.1).
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;

/// One message of a client. Its values belong to the body's document.
struct Message {
    std::string method;
    std::string id;  ///< as JSON; empty: a notification or an answer, which get no reply
    std::optional<JsonValue> params;
};

/// Error: kInvalidField, of a body that is no message; batches are none.
core::Result<Message> read_message(JsonValue body);

/// `{"jsonrpc":"2.0","id":ID,"result":RESULT}`; `result` is JSON.
std::string result_of(std::string_view id, std::string_view result);
std::string error_of(std::string_view id, int code, std::string_view message);

/// The result of `initialize`: the version that the client asks for if it is known, else the
/// newest.
std::string initialized(const Message& message, std::string_view version);

/// The client's name in `initialize`, for an id; or empty.
std::string client_name(const Message& message);

}  // namespace headway::api::mcp
