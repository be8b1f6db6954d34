// SPDX-License-Identifier: Apache-2.0
#include "hook/text/notice.hpp"

#include <catch2/catch.hpp>

using namespace headway::hook;

namespace {

constexpr const char* kStart = R"({"hook_event_name":"SessionStart"})";

bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("notice: a refused token is shown with its cause and fix", "[hook]") {
    const Notice notice = refusal_notice("claude", kStart, 401);
    CHECK(has(notice.line, "its calls run unwatched"));
    CHECK(has(notice.line, "expired"));
    CHECK(has(notice.line, "`headway doctor claude`"));
    CHECK(notice.reply == R"({"systemMessage":")" + notice.line + R"("})");
    CHECK(has(refusal_notice("codex", kStart, 403).line, "may not report this session"));
    CHECK(has(refusal_notice("qwen", kStart, 429).line, "wrong token"));
}

TEST_CASE("notice: it is shown at the beginning and at a prompt, never at a call", "[hook]") {
    CHECK_FALSE(
        refusal_notice("claude", R"({"hook_event_name":"UserPromptSubmit"})", 401).line.empty());
    CHECK_FALSE(refusal_notice("gemini", R"({"hook_event_name":"BeforeAgent"})", 401).line.empty());
    CHECK_FALSE(refusal_notice("cline", R"({"hookName":"TaskStart"})", 401).line.empty());
    for (const char* body : {R"({"hook_event_name":"PreToolUse"})", R"({"hook_event_name":"Stop"})",
                             R"({"prompt":"SessionStart"})", "", "{"})
        CHECK(refusal_notice("claude", body, 401).line.empty());
}

TEST_CASE("notice: agents without a field for it are only given the line", "[hook]") {
    const Notice notice = refusal_notice("copilot", kStart, 401);
    CHECK_FALSE(notice.line.empty());
    CHECK(notice.reply.empty());
}

TEST_CASE("notice: other failures are silent", "[hook]") {
    for (const int status : {0, 200, 404, 500, 503})
        CHECK(refusal_notice("claude", kStart, status).line.empty());
}

TEST_CASE("notice: the hook before a call is known by the names of all agents", "[hook]") {
    for (const char* const body :
         {R"({"hook_event_name":"PreToolUse","tool_input":{"a":"x)", R"({"event":"pre"})",
          R"({"hookName":"PreToolUse"})", R"({"hook_event_name":"BeforeTool"})"})
        CHECK(is_before_call(body));
    for (const char* const body : {"", kStart, R"({"hook_event_name":"PostToolUse"})",
                                   R"({"tool_input":{"hook_event_name":"PreToolUse"}})"})
        CHECK_FALSE(is_before_call(body));
}
