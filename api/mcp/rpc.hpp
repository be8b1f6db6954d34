// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/json/json_document.hpp"
#include "core/base/result.hpp"

// Messages of the Model Context Protocol over HTTP: JSON-RPC 2.0, one message per body
// (https://modelcontextprotocol.io/specification/2025-06-18/basic/transports). Pure.

namespace headway::api::mcp {

// Error codes (JSON-RPC 2.0, 5.1).
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;

/// One message of a client. Its values belong to the body's document.
struct Message {
    std::string method;
    /// The request's id as JSON; empty: a notification or a response, which gets no reply.
    std::string id;
    std::optional<JsonValue> params;
};

/// Reads the message in `body`. Error: kInvalidField if it is not a message; batches are refused.
core::Result<Message> read_message(JsonValue body);

/// `{"jsonrpc":"2.0","id":ID,"result":RESULT}`; `result` is JSON.
std::string result_of(std::string_view id, std::string_view result);
std::string error_of(std::string_view id, int code, std::string_view message);

/// The result of `initialize`: its protocol version is the one that the client requests, if Headway
/// knows it, else the newest that Headway knows.
std::string initialized(const Message& message, std::string_view version);

/// The client's name in `initialize`, in a form that may be part of an id; or empty.
std::string client_name(const Message& message);

}  // namespace headway::api::mcp
