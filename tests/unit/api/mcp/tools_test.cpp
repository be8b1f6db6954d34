// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "api/hooks/report.hpp"
#include "api/mcp/rpc.hpp"
#include "api/mcp/tools.hpp"

using namespace headway;
using namespace headway::api;
using hooks::HookKind;

namespace {

core::Result<mcp::Message> message_of(JsonDocument& document, const std::string& body) {
    REQUIRE(document.parse(body));
    return mcp::read_message(document.root());
}

core::Result<hooks::Hook> call_of(JsonDocument& document, const std::string& params) {
    const auto message = message_of(
        document, R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":)" + params + "}");
    REQUIRE(message);
    return mcp::read_call(*message);
}

std::string rendered(const hooks::Hook& hook, const hooks::HookReply& reply) {
    return mcp::kDialect.render(hook, reply);
}

std::string text_reply(const std::string& text) {
    return R"({"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":")" + text +
           R"("}]}})";
}

}  // namespace

TEST_CASE("a message has the id that came, as it came") {
    JsonDocument document;
    CHECK(message_of(document, R"({"jsonrpc":"2.0","id":1,"method":"ping"})")->id == "1");
    CHECK(message_of(document, R"({"jsonrpc":"2.0","id":-1.5,"method":"ping"})")->id == "-1.5");
    CHECK(message_of(document, R"({"jsonrpc":"2.0","id":"a\"","method":"ping"})")->id ==
          R"("a\"")");
    CHECK(message_of(document, R"({"jsonrpc":"2.0","id":null,"method":"ping"})")->id.empty());
    CHECK(message_of(document, R"({"jsonrpc":"2.0","id":{},"method":"ping"})")->id.empty());
    CHECK(message_of(document, R"({"jsonrpc":"2.0","id":1,"result":{}})")->id.empty());
    CHECK(message_of(document, R"({"jsonrpc":"2.0","id":1,"method":5})").error().field ==
          "/method");
    CHECK_FALSE(message_of(document, R"([])"));
    CHECK(message_of(document, R"({"id":1,"method":"ping"})").error().field == "/jsonrpc");
}

TEST_CASE("a longer id than any is refused, for it is kept while a person decides") {
    JsonDocument document;
    const auto with_id = [&document](std::size_t size) {
        return message_of(document, R"({"jsonrpc":"2.0","method":"ping","id":")" +
                                        std::string(size, 'x') + "\"}");
    };
    CHECK(with_id(200));
    CHECK(with_id(1'000).error().field == "/id");
}

TEST_CASE("the list of tools is JSON with a schema for each") {
    JsonDocument document;
    REQUIRE(document.parse(mcp::tool_list()));
    CHECK(document.root().size() == 1);
}

TEST_CASE("approve asks about the call and gives its input back as it came") {
    JsonDocument document;
    auto hook = call_of(document, R"({"name":"approve","arguments":{"tool_name":"Bash",)"
                                  R"("input":{"n":1.50,"b":"a"},"tool_use_id":"c1"}})");
    REQUIRE(hook);
    CHECK(hook->kind == HookKind::kRequest);
    CHECK(hook->call.call == "c1");
    const auto report = hooks::take_report(document, *hook);
    REQUIRE(report);
    CHECK(report->args_digest.starts_with("sha256:"));
    REQUIRE(report->decoded.events.size() == 1);
    const auto& asked = std::get<core::ApprovalRequested>(report->decoded.events[0].payload);
    CHECK(asked.tool == "Bash");
    CHECK(asked.call_id == "c1");

    hooks::HookReply reply;
    reply.allow = "approved by ann";
    CHECK(rendered(*hook, reply) ==
          text_reply(R"({\"behavior\":\"allow\",\"updatedInput\":{\"n\":1.50,\"b\":\"a\"}})"));
    reply.edit_json = R"({"n":2})";
    CHECK(rendered(*hook, reply) ==
          text_reply(R"({\"behavior\":\"allow\",\"updatedInput\":{\"n\":2}})"));
    reply.deny = "This call was not allowed: no";
    CHECK(rendered(*hook, reply) ==
          text_reply(R"({\"behavior\":\"deny\",\"message\":\"This call was not allowed: no\"})"));
}

TEST_CASE("a call that no person has allowed is denied") {
    JsonDocument document;
    const auto hook =
        call_of(document, R"({"name":"approve","arguments":{"tool_name":"Bash","input":{}}})");
    REQUIRE(hook);
    CHECK_FALSE(hook->call.call.empty());
    hooks::HookReply reply;
    CHECK(rendered(*hook, reply).find(R"(\"deny\")") != std::string::npos);
    reply.undecided = true;
    CHECK(rendered(*hook, reply).find(R"(\"deny\")") != std::string::npos);
    reply.allow = "approved by ann";
    reply.stop = "enough";
    CHECK(rendered(*hook, reply).find(R"(\"deny\")") != std::string::npos);
}

TEST_CASE("the same question has the same id, another one has another") {
    const auto id = [](const std::string& arguments) {
        JsonDocument document;
        const auto hook =
            call_of(document, R"({"name":"ask_human","arguments":)" + arguments + "}");
        REQUIRE(hook);
        return hook->call.call;
    };
    const std::string first = id(R"({"question":"Deploy?","options":["yes","no"]})");
    CHECK(first == id(R"({"wait_seconds":3,"options":["yes","no"],"question":"Deploy?"})"));
    CHECK(first != id(R"({"question":"Deploy?","options":["yes"]})"));
    CHECK(first != id(R"({"question":"Deploy it?","options":["yes","no"]})"));
}

TEST_CASE("ask_human waits as long as the agent says, and a day at most") {
    const auto wait_ms = [](const std::string& more) {
        JsonDocument document;
        const auto hook =
            call_of(document, R"({"name":"ask_human","arguments":{"question":"?")" + more + "}}");
        REQUIRE(hook);
        return hook->hold_ms.value();
    };
    CHECK(wait_ms("") == 50'000);
    CHECK(wait_ms(R"(,"wait_seconds":0)") == 1);
    CHECK(wait_ms(R"(,"wait_seconds":600)") == 600'000);
    CHECK(wait_ms(R"(,"wait_seconds":999999999999)") == 86'400'000);
}

TEST_CASE("ask_human gives the person's words, with what else there is to say") {
    JsonDocument document;
    const auto hook = call_of(document, R"({"name":"ask_human","arguments":{"question":"?"}})");
    REQUIRE(hook);
    hooks::HookReply reply;
    reply.answer = "blue";
    CHECK(rendered(*hook, reply) == text_reply("blue"));
    reply.context = "Wrap up.";
    CHECK(rendered(*hook, reply) == text_reply(R"(blue\n\nWrap up.)"));
    reply.answer = std::string(3000, 'b');
    CHECK(rendered(*hook, reply) == text_reply(std::string(1997, 'b') + R"(…\n\nWrap up.)"));
    reply = {};
    reply.undecided = true;
    reply.deny = "No person has answered yet (s.a2).";
    CHECK(rendered(*hook, reply) == text_reply("No person has answered yet (s.a2)."));
}

TEST_CASE("the status of a session is as long as a reply may be") {
    JsonDocument document;
    const auto hook = call_of(document, R"({"name":"status","arguments":{}})");
    REQUIRE(hook);
    hooks::HookReply reply;
    reply.context = std::string(3000, 'v');
    CHECK(rendered(*hook, reply) == text_reply(std::string(1997, 'v') + "…"));
}

TEST_CASE("arguments that are wrong are named") {
    JsonDocument document;
    const auto detail = [&document](const std::string& params) {
        const auto hook = call_of(document, params);
        REQUIRE_FALSE(hook);
        return hook.error().detail;
    };
    CHECK(detail(R"({"name":"rm"})").find("approve, ask_human, status") != std::string::npos);
    CHECK(detail(R"({"name":"ask_human"})") == "arguments are missing");
    CHECK(detail(R"({"name":"ask_human","arguments":{}})") == "question must be a text");
    CHECK(detail(R"({"name":"approve","arguments":{"tool_name":"x","input":"y"}})") ==
          "input must be an object");
}

TEST_CASE("a client gets the version that it asks for, or the newest") {
    JsonDocument document;
    const auto greeting = [&document](const std::string& version) {
        const auto message =
            message_of(document, R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
                                 R"({"protocolVersion":")" +
                                     version + R"(","clientInfo":{"name":"x"}}})");
        CHECK(mcp::client_name(*message) == "x");
        return mcp::initialized(*message, "0.1");
    };
    CHECK(greeting("2025-03-26").find(R"("protocolVersion":"2025-03-26")") != std::string::npos);
    CHECK(greeting("2030-01-01").find(R"("protocolVersion":"2025-11-25")") != std::string::npos);
}
