// SPDX-License-Identifier: Apache-2.0
#include "api/mcp/rpc.hpp"

#include <algorithm>
#include <array>

#include "api/hooks/read.hpp"
#include "api/json/json_writer.hpp"

namespace headway::api::mcp {
namespace {

constexpr std::array<std::string_view, 4> kVersions{"2025-11-25", "2025-06-18", "2025-03-26",
                                                    "2024-11-05"};

constexpr std::size_t kIdBytesMax = 512;

core::Error no_message(std::string detail, std::string field) {
    return {core::ErrorCode::kInvalidField, std::move(detail), std::move(field)};
}

}  // namespace

core::Result<Message> read_message(JsonValue body) {
    if (body.kind() != JsonKind::kObject)
        return no_message("send one JSON-RPC message; batches are not taken", "");
    if (hooks::name_in(body, "jsonrpc") != "2.0") return no_message("must be \"2.0\"", "/jsonrpc");
    Message message;
    message.method = hooks::name_in(body, "method");
    message.params = hooks::object_in(body, "params");
    const auto add_id = [&message](JsonValue child) {
        if (child.key() != "id") return true;
        const bool number =
            child.kind() >= JsonKind::kUnsigned && child.kind() <= JsonKind::kNumber;
        if (number || child.kind() == JsonKind::kString) child.append_to(message.id);
        return false;
    };
    body.each(add_id);
    // It is kept as long as a person takes to answer.
    if (message.id.size() > kIdBytesMax)
        return no_message("must be at most " + std::to_string(kIdBytesMax) + " bytes", "/id");
    if (!message.method.empty()) return message;
    // An answer of a client has no method, and none was requested.
    const bool answer = hooks::object_in(body, "result") || hooks::object_in(body, "error");
    if (!answer) return no_message("must be the name of a method", "/method");
    message.id.clear();
    return message;
}

std::string result_of(std::string_view id, std::string_view result) {
    std::string out;
    JsonWriter json{out};
    json.open_object();
    json.member("jsonrpc", "2.0");
    json.key("id");
    json.raw(id);
    json.key("result");
    json.raw(result);
    json.close_object();
    return out;
}

std::string error_of(std::string_view id, int code, std::string_view message) {
    std::string out;
    JsonWriter json{out};
    json.open_object();
    json.member("jsonrpc", "2.0");
    json.key("id");
    json.raw(id.empty() ? "null" : id);
    json.key("error");
    json.open_object();
    json.key("code");
    json.raw(std::to_string(code));
    json.member("message", message);
    json.close_object();
    json.close_object();
    return out;
}

std::string initialized(const Message& message, std::string_view version) {
    const std::string asked =
        message.params ? hooks::name_in(*message.params, "protocolVersion") : "";
    const bool known = std::find(kVersions.begin(), kVersions.end(), asked) != kVersions.end();
    std::string out;
    JsonWriter json{out};
    json.open_object();
    json.member("protocolVersion", known ? std::string_view{asked} : kVersions.front());
    json.key("capabilities");
    json.raw(R"({"tools":{}})");
    json.key("serverInfo");
    json.open_object();
    json.member("name", "headway");
    json.member("version", version);
    json.close_object();
    json.member("instructions",
                "Headway supervises this agent. Use ask_human when only a person can decide or "
                "knows, and status to see whether you make progress and what is left of your "
                "budget.");
    json.close_object();
    return out;
}

std::string client_name(const Message& message) {
    const auto client =
        message.params ? hooks::object_in(*message.params, "clientInfo") : std::nullopt;
    return client ? hooks::name_in(*client, "name") : std::string{};
}

}  // namespace headway::api::mcp
