// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "api/hooks/read.hpp"
#include "api/hooks/report.hpp"
#include "api/mcp/rpc.hpp"
#include "api/mcp/tools.hpp"
#include "core/redaction/secrets.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/kept.hpp"
#include "tests/fuzz/work.hpp"

// Messages of MCP. Each answer is one message of JSON-RPC with the id of its question, and a call
// runs only when a person has allowed it.

using namespace headway;
using namespace headway::api;

namespace {

hooks::HookReply reply_of(std::size_t choice) {
    hooks::HookReply reply;
    if (choice & 1U) reply.deny = "no";
    if (choice & 2U) reply.context = "\xE2\x80\xA6 \"three\"\n";
    if (choice & 4U) reply.stop = "budget";
    if (choice & 8U) reply.stop_hard = true;
    if (choice & 16U) reply.undecided = true;
    if (choice & 32U) reply.edit_json = "{}";
    if (choice & 64U) reply.allow = "ana";
    if (choice & 128U) reply.answer = "yes";
    return reply;
}

/// A message of ours, with this id.
JsonValue message_in(JsonDocument& document, const std::string& text, const std::string& id) {
    tests::require(document.parse(text).has_value());
    std::string found;
    document.root().each([&](JsonValue child) {
        if (child.key() == "id") child.append_to(found);
        return true;
    });
    tests::require(found == id && hooks::name_in(document.root(), "jsonrpc") == "2.0");
    return document.root();
}

std::string words_in(JsonValue message) {
    std::string words;
    const auto result = hooks::object_in(message, "result");
    tests::require(result.has_value());
    const auto content = hooks::array_in(*result, "content");
    tests::require(content && content->size() == 1);
    content->each([&](JsonValue part) {
        words = hooks::text_in(part, "text");
        return true;
    });
    return words;
}

void render(const hooks::Hook& hook, const hooks::HookReply& reply) {
    JsonDocument document;
    const std::string text = mcp::kDialect.render(hook, reply);
    const std::string words = words_in(message_in(document, text, hook.echo));
    if (hook.kind != hooks::HookKind::kRequest) return;
    tests::require(document.parse(words).has_value());
    const bool allowed = hooks::name_in(document.root(), "behavior") == "allow";
    const bool good = reply.deny.empty() && !reply.undecided && reply.stop.empty() &&
                      !reply.stop_hard && !(reply.allow.empty() && reply.edit_json.empty());
    tests::require(allowed == good);
    if (!allowed) return;
    std::string input;
    hooks::object_in(document.root(), "updatedInput")->append_to(input);
    tests::require(input == (reply.edit_json.empty() ? hook.echo_args : reply.edit_json));
}

void call_tool(JsonDocument& document, const mcp::Message& message, std::size_t choice) {
    auto hook = mcp::read_call(message);
    if (!hook) {
        JsonDocument other;
        message_in(other, mcp::error_of(message.id, mcp::kInvalidParams, hook.error().detail),
                   message.id);
        return;
    }
    tests::require(hook->echo == message.id && hook->kind >= hooks::HookKind::kRequest);
    tests::require(hook->kind != hooks::HookKind::kRequest || !hook->call.tool.empty());
    render(*hook, {});
    render(*hook, reply_of(choice));
    hook->session = "fuzz";
    auto report = hooks::take_report(document, *hook);
    if (!report) {
        tests::require(!report.error().detail.empty());
    } else {
        tests::keep(std::move(report->decoded.events));
    }
}

void read(std::string_view body, std::size_t choice) {
    const tests::LittleWork work;
    static const core::SecretFinder secrets;
    JsonDocument document;
    document.redact_with(&secrets);
    if (!document.parse(body)) return;
    const auto message = mcp::read_message(document.root());
    if (!message) {
        tests::require(!message.error().detail.empty());
        return;
    }
    tests::require(!message->method.empty() || message->id.empty());
    if (message->id.empty()) return;
    JsonDocument other;
    message_in(other, mcp::result_of(message->id, mcp::initialized(*message, "1")), message->id);
    message_in(other, mcp::result_of(message->id, mcp::tool_list()), message->id);
    tests::require(valid_id("mcp-" + id_part(mcp::client_name(*message))));
    call_tool(document, *message, choice);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tests::Bytes bytes{data, size};
    const std::size_t choice = bytes.choose(256);
    read(bytes.rest(), choice);
    return 0;
}
