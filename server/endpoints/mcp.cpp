// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "api/hooks/report.hpp"
#include "api/mcp/rpc.hpp"
#include "api/mcp/tools.hpp"
#include "core/version.hpp"
#include "server/endpoints/call.hpp"
#include "server/endpoints/handlers.hpp"
#include "server/endpoints/session_ids.hpp"
#include "server/session_id.hpp"

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

Result<> initialize(const Call& call, const mcp::Message& message) {
    const std::string id = "mcp-" + api::id_part(mcp::client_name(message)) + "-" +
                           new_session_id(call.on.clock.now());
    return reply(call,
                 mcp::result_of(message.id, mcp::initialized(message, core::version().version)),
                 "Mcp-Session-Id: " + id + "\r\n");
}

/// The session of the agent: named by its owner, or by us in `initialize`.
std::string session_of(const Call& call) {
    const std::string_view named = call.request.head.hook_session;
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

Result<> call_tool(Call& call, const mcp::Message& message) {
    HookCommand command;
    command.session = session_of(call);
    if (command.session.empty()) {
        return core::Error{core::ErrorCode::kInvalidField,
                           "send the id that initialize gave, or X-Headway-Session",
                           "Mcp-Session-Id"};
    }
    HEADWAY_CHECK(require_report(call.caller, command.session));
    auto hook = mcp::read_call(message);
    if (!hook)
        return reply(call, mcp::error_of(message.id, mcp::kInvalidParams, hook.error().detail));
    command.call.dialect = &mcp::kDialect;
    command.call.hook = *std::move(hook);
    command.about.agent.name = agent_of(command.session);
    command.about.agent.type = agent_type(command.about.agent.name);
    auto report = api::hooks::take_report(call.on.tape, command.call.hook);
    if (!report) {
        const core::Error& error = report.error();
        return reply(call, mcp::error_of(message.id, mcp::kInvalidParams,
                                         error.field + ": " + error.detail));
    }
    command.events = std::move(report->decoded.events);
    command.call.args_digest = std::move(report->args_digest);
    const std::string session = command.session;
    return call.write(std::move(command), session);
}

}  // namespace

Result<> endpoints::call_mcp(Call& call) {
    HEADWAY_CHECK(call.on.tape.parse(call.request.body));
    HEADWAY_TRY(const mcp::Message message, mcp::read_message(call.on.tape.root()));
    // Notifications, and answers to what was never asked.
    if (message.id.empty()) return accept(call);
    if (message.method == "initialize") return initialize(call, message);
    if (message.method == "ping") return reply(call, mcp::result_of(message.id, "{}"));
    if (message.method == "tools/list")
        return reply(call, mcp::result_of(message.id, mcp::tool_list()));
    if (message.method == "tools/call") return call_tool(call, message);
    return reply(call, mcp::error_of(message.id, mcp::kMethodNotFound,
                                     "'" + message.method +
                                         "' is not served; these are: "
                                         "initialize, ping, tools/list, tools/call"));
}

}  // namespace headway::server
