// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <utility>

#include "api/hooks/report.hpp"
#include "api/mcp/rpc.hpp"
#include "api/mcp/tools.hpp"
#include "core/base/version.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"
#include "server/tokens/session_id.hpp"
#include "server/tokens/session_ids.hpp"

// The MCP server: one POST for each message, answered in JSON. It sends nothing by itself, so there
// is no GET and no stream of events.

namespace headway::server {
namespace {

namespace mcp = api::mcp;
using core::Result;

Result<> accept(const Call& call) {
    Response response;
    response.status = 202;
    response.content_type = {};
    call.respond(response);
    return {};
}

Result<> reply(const Call& call, std::string body, std::string headers = {}) {
    Response response;
    response.body = std::move(body);
    response.headers = std::move(headers);
    call.respond(response);
    return {};
}

/// The message of the body, without its document.
struct ReadMessage {
    std::string method;
    std::string id;
    std::string client;       ///< of `initialize`
    std::string initialized;  ///< its result
    HookCommand command;      ///< of `tools/call`
    std::string wrong;        ///< why that is none
};

void read_tool_call(api::JsonDocument& document, const mcp::Message& message, ReadMessage& read) {
    auto hook = mcp::read_call(message);
    if (!hook) {
        read.wrong = hook.error().detail;
        return;
    }
    HookCommand& command = read.command;
    command.call.dialect = &mcp::kDialect;
    command.call.hook = *std::move(hook);
    auto report = api::hooks::take_report(document, command.call.hook);
    if (!report) {
        read.wrong = report.error().field + ": " + report.error().detail;
        return;
    }
    command.events = std::move(report->decoded.events);
    command.call.args_digest = std::move(report->args_digest);
    command.call.hook.call.args.reset();  // it was on this document
}

/// Any thread.
Result<ReadMessage> read_message_of(api::JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(document.parse(body));
    HEADWAY_TRY(const mcp::Message message, mcp::read_message(document.root()));
    ReadMessage read;
    read.method = message.method;
    read.id = message.id;
    if (message.id.empty()) return read;
    if (message.method == "initialize") {
        read.client = mcp::client_name(message);
        read.initialized = mcp::initialized(message, core::version().version);
    }
    if (message.method == "tools/call") read_tool_call(document, message, read);
    return read;
}

Result<> initialize(const Call& call, const ReadMessage& message) {
    const std::string id =
        "mcp-" + api::id_part(message.client) + "-" + new_session_id(call.on.clock.now());
    return reply(call, mcp::result_of(message.id, message.initialized),
                 "Mcp-Session-Id: " + id + "\r\n");
}

/// The session of the agent: named by its owner, or by us in `initialize`.
std::string session_of(const Call& call) {
    const std::string_view named = call.request.head.named_session();
    if (api::valid_id(named)) return std::string{named};
    const std::string_view ours = call.request.head.mcp_session;
    return ours.starts_with("mcp-") && api::valid_id(ours) ? std::string{ours} : std::string{};
}

/// The agent's name in an id that initialize() made.
std::string agent_of(std::string_view session) {
    constexpr std::size_t kUuidBytes = 36;
    if (!session.starts_with("mcp-") || session.size() < 4 + 1 + kUuidBytes) return "agent";
    return std::string{session.substr(4, session.size() - 4 - 1 - kUuidBytes)};
}

Result<> call_tool(Call& call, ReadMessage&& message) {
    HookCommand& command = message.command;
    command.session = session_of(call);
    if (command.session.empty()) {
        return core::Error{core::ErrorCode::kInvalidField,
                           "send the id that initialize gave, or X-Headway-Session",
                           "Mcp-Session-Id"};
    }
    HEADWAY_CHECK(require_report(call.caller, command.session));
    if (!message.wrong.empty())
        return reply(call, mcp::error_of(message.id, mcp::kInvalidParams, message.wrong));
    command.call.holder = call.place_holder();
    command.about.agent.name = agent_of(command.session);
    command.about.agent.type = agent_type(command.about.agent.name);
    const std::string session = command.session;
    return call.write(std::move(command), session);
}

Result<> answer(Call& call, ReadMessage&& message) {
    // Notifications, and answers to what was never asked.
    if (message.id.empty()) return accept(call);
    if (message.method == "initialize") return initialize(call, message);
    if (message.method == "ping") return reply(call, mcp::result_of(message.id, "{}"));
    if (message.method == "tools/list")
        return reply(call, mcp::result_of(message.id, mcp::tool_list()));
    if (message.method == "tools/call") return call_tool(call, std::move(message));
    return reply(call, mcp::error_of(message.id, mcp::kMethodNotFound,
                                     "'" + message.method +
                                         "' is not served; these are: "
                                         "initialize, ping, tools/list, tools/call"));
}

}  // namespace

Result<> endpoints::call_mcp(Call& call) {
    return call.read_body(read_message_of, answer);
}

}  // namespace headway::server
