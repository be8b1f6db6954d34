// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "cli/acp/acp_observer.hpp"
#include "cli/acp/messages/acp_message.hpp"
#include "core/calls/tool_class.hpp"
#include "tests/support/parsed.hpp"

using headway::cli::AcpObserver;
using headway::cli::AcpWords;
using headway::tests::parsed;

TEST_CASE("acp words: a later kind does not take a call out of the class of an earlier one",
          "[cli]") {
    AcpWords words;
    words.announce(parsed(R"({"toolCallId":"c","kind":"execute","rawInput":{"command":"rm 1"}})"));
    words.announce(parsed(R"({"toolCallId":"c","kind":"other"})"));
    words.ask(parsed(R"({"toolCallId":"c"})"), false, 1);
    const std::string tool = words.about("c").text_of("tool");
    CAPTURE(tool);
    CHECK(headway::core::rule_covers("class:shell", tool));
}

TEST_CASE("acp words: a call that runs something else than was allowed is reported by its kind",
          "[cli]") {
    AcpObserver observer("agent");
    observer.from_editor(
        parsed(R"({"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":"go"}})"));
    observer.from_agent(parsed(
        R"({"id":7,"method":"session/request_permission","params":{"sessionId":"s","options":[],
            "toolCall":{"toolCallId":"c","kind":"read","rawInput":{"path":"a"}}}})"));
    const char* update = nullptr;
    SECTION("by other arguments") {
        update = R"("rawInput":{"command":"rm 5"},)";
    }
    SECTION("by a title alone") {
        update = R"("title":"rm 5",)";
    }
    SECTION("by the arguments that were allowed") {
        update = R"("rawInput":{"path":"a"},)";
    }
    const auto over = observer.from_agent(parsed(
        R"({"method":"session/update","params":{"sessionId":"s","update":{"toolCallId":"c",
            "sessionUpdate":"tool_call_update","kind":"execute",)" +
        std::string{update} + R"("status":"completed"}}})"));
    REQUIRE_FALSE(over.empty());
    const std::string tool = over.back().data.text_of("tool");
    CAPTURE(tool);
    CHECK(headway::core::rule_covers("class:shell", tool));
}

TEST_CASE("acp: a call that has begun unasked has not been refused, whatever its status", "[cli]") {
    const std::string prompt =
        R"({"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":"go"}})";
    for (const char* status : {"in_progress", "new_status", "done"}) {
        CAPTURE(status);
        AcpObserver observer("agent");
        observer.from_editor(parsed(prompt));
        observer.from_agent(parsed(
            R"({"method":"session/update","params":{"sessionId":"s","update":{"toolCallId":"c",
                "sessionUpdate":"tool_call","kind":"execute","rawInput":{"command":"rm x"},
                "status":")" +
            std::string{status} + R"("}}})"));
        const auto over =
            observer.from_agent(parsed(R"({"id":1,"result":{"stopReason":"end_turn"}})"));
        bool seen = false;
        for (const auto& action : over) {
            if (action.type != "tool.finished") continue;
            seen = true;
            CHECK(action.data["error"].text_of("class") == "cancelled");
        }
        CHECK(seen);
    }
}

TEST_CASE("acp: another picture is another result", "[cli]") {
    const auto result = [](const std::string& data) {
        return headway::cli::acp_result(
            parsed(R"({"content":[{"type":"content","content":{"type":"image","data":")" + data +
                   R"("}}]})"));
    };
    CHECK(result("AAAA") == result("AAAA"));
    CHECK(result("AAAA") != result("AAAB"));
}
