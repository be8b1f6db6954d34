// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "cli/lines/run_end.hpp"
#include "tests/unit/cli/lines/told.hpp"

// Words with which agents say that they refused a call, or never asked their model, as their
// sources and public reports have them.

namespace {

headway::cli::RunEnd end_of_refused(const std::string& output) {
    return headway::cli::run_end(headway::tests::told_of(output, 4'096).facts, {});
}

}  // namespace

TEST_CASE("refused lines: a call that Gemini CLI's policy refuses is no work done", "[cli]") {
    const std::string begins =
        R"({"type":"init","timestamp":"t","session_id":"s","model":"m"})"
        "\n"
        R"({"type":"tool_use","timestamp":"t","tool_name":"run_shell_command","tool_id":"a","parameters":{"command":"x"}})"
        "\n";
    const std::string ends =
        R"({"type":"message","timestamp":"t","role":"assistant","content":"I could not."})"
        "\n"
        R"({"type":"result","timestamp":"t","status":"success"})"
        "\n";
    for (
        const std::string error :
        {R"({"type":"policy_violation","message":"Tool execution denied by policy."})",
         R"({"type":"unhandled_exception","message":"Tool execution for \"x\" requires user confirmation, which is not supported in non-interactive mode."})"}) {
        CAPTURE(error);
        const auto end = end_of_refused(
            begins + R"({"type":"tool_result","timestamp":"t","tool_id":"a","status":"error",)" +
            R"("error":)" + error + "}\n" + ends);
        CHECK_FALSE(end.completed);
        CHECK_THAT(end.reason, Catch::Contains("run_shell_command was refused"));
    }
    const auto end = end_of_refused(
        begins +
        R"({"type":"tool_result","timestamp":"t","tool_id":"a","status":"success","output":"ok"})"
        "\n" +
        ends);
    CHECK(end.completed);
}

TEST_CASE("refused lines: a call that a rule of opencode denies is no work done", "[cli]") {
    const auto call = [](const std::string& state) {
        return R"({"type":"tool_use","timestamp":1,"sessionID":"s","part":{"callID":"c","tool":"bash","state":)" +
               state + "}}\n";
    };
    const std::string ends =
        R"({"type":"text","timestamp":1,"sessionID":"s","part":{"text":"I could not."}})"
        "\n"
        R"({"type":"step_finish","timestamp":1,"sessionID":"s","part":{"reason":"stop","tokens":{}}})"
        "\n";
    const auto end = end_of_refused(
        call(
            R"({"status":"error","input":{"command":"x"},"error":"The user has specified a rule which prevents you from using this specific tool call. Here are some of the relevant rules []"})") +
        ends);
    CHECK_FALSE(end.completed);
    CHECK_THAT(end.reason, Catch::Contains("bash was refused"));
}

TEST_CASE("refused lines: opencode 2 has its calls and errors in another place", "[cli]") {
    const auto call = [](const std::string& state) {
        return R"({"type":"tool_use","timestamp":1,"sessionID":"s","part":{"id":"c7","type":"tool","tool":"shell","state":)" +
               state + "}}\n";
    };
    const std::string ends =
        R"({"type":"step_finish","timestamp":1,"sessionID":"s","part":{"reason":"stop","tokens":{}}})"
        "\n";
    const auto failed = headway::tests::told_of(
        call(
            R"({"status":"completed","input":{"command":"make"},"metadata":{"metadata":{"exit":1}},"output":"no"})"),
        4'096);
    CHECK(failed.events == std::vector<std::string>{"started c7 shell", "failed c7 shell"});
    const auto asked = end_of_refused(
        call(
            R"({"status":"error","input":{},"error":"This non-interactive run cannot ask the user for permission, so the request was rejected."})") +
        ends);
    CHECK(asked.refused);
    const auto error = [](const std::string& members) {
        return end_of_refused(R"({"type":"error","timestamp":1,"sessionID":"s","error":{)" +
                              members + "}}\n")
            .cause;
    };
    using headway::core::Cause;
    CHECK(error(R"("type":"provider.auth","message":"no","status":401)") == Cause::kCredentials);
    CHECK(error(R"("type":"provider.quota","message":"no","status":429)") == Cause::kUsageLimit);
    CHECK(error(R"("type":"provider.rate-limit","message":"no")") == Cause::kRateLimit);
    CHECK(error(R"("type":"provider.transport","message":"no")") == Cause::kNetwork);
    CHECK(error(R"("type":"provider.invalid-output","message":"no")") == Cause::kNetwork);
    CHECK(error(R"("type":"provider.internal","message":"no","status":500)") == Cause::kOverloaded);
    CHECK(error(R"("type":"unknown","message":"no")") == Cause::kUnknown);
}

TEST_CASE("refused lines: a command of opencode without an exit status has failed", "[cli]") {
    const auto told = [](const std::string& metadata) {
        return headway::tests::told_of(
            R"({"type":"tool_use","timestamp":1,"sessionID":"s","part":{"callID":"c","tool":"bash","state":{"status":"completed","input":{"command":"make"},"metadata":)" +
                metadata + R"(,"output":"terminated command after exceeding timeout 5 ms"}}})" +
                "\n",
            4'096);
    };
    CHECK_FALSE(told(R"({"exit":null})").facts.succeeded);
    CHECK_FALSE(told(R"({"exit":1})").facts.succeeded);
    CHECK(told(R"({"exit":0})").facts.succeeded);
    CHECK(told(R"({})").facts.succeeded);
}

TEST_CASE("refused lines: Claude Code's answer to an unknown command is no success", "[cli]") {
    const std::string init =
        R"({"type":"system","subtype":"init","model":"m","session_id":"s","uuid":"u"})"
        "\n";
    const auto result = [&init](const std::string& words, const std::string& more) {
        return end_of_refused(
            init + R"({"type":"result","subtype":"success","is_error":false,"result":")" + words +
            "\"," + more + R"(,"session_id":"s","uuid":"u"})" + "\n");
    };
    for (const auto& [words, more] :
         {std::pair{"Unknown command: /fix-tests", R"("num_turns":0,"duration_api_ms":0)"},
          std::pair{"Unknown skill: fix-tests", R"("num_turns":1,"modelUsage":{})"},
          std::pair{"Unknown slash command: fix", R"("num_turns":0,"modelUsage":{})"}}) {
        CAPTURE(words);
        const auto end = result(words, more);
        CHECK_FALSE(end.completed);
        CHECK_THAT(end.reason, Catch::Contains("the model received nothing: Unknown"));
    }
    CHECK(result("Unknown command: that is what it prints now",
                 R"("num_turns":2,"modelUsage":{"m":{"inputTokens":1}})")
              .completed);
}

TEST_CASE("refused lines: a question of Claude Code that has no answer needs a person", "[cli]") {
    const auto asks = [](const std::string& answer) {
        return end_of_refused(
            R"({"type":"system","subtype":"init","model":"m","session_id":"s","uuid":"u"})"
            "\n"
            R"({"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"c","name":"AskUserQuestion","input":{}}]},"session_id":"s","uuid":"u"})"
            "\n"
            R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c",)" +
            answer +
            R"(}]},"session_id":"s","uuid":"u"})"
            "\n"
            R"({"type":"result","subtype":"success","is_error":false,"result":"Which one?","session_id":"s","uuid":"u"})"
            "\n");
    };
    for (const std::string answer :
         {R"("content":"User has answered your questions: . You can now continue.")",
          R"("is_error":true,"content":"Answer questions?")"}) {
        CAPTURE(answer);
        CHECK(asks(answer).refused);
        CHECK_THAT(asks(answer).reason, Catch::Contains("AskUserQuestion was refused"));
    }
    CHECK(asks(R"("content":"User has answered your questions: \"Which?\"=\"b\". Continue.")")
              .completed);
}

TEST_CASE("refused lines: a question that no person answered is named behind later work", "[cli]") {
    const auto end_after = [](const std::string& tool, bool listed) {
        const std::string denied =
            listed ? R"([{"tool_name":")" + tool + R"(","tool_use_id":"c","tool_input":{}}])"
                   : "[]";
        const std::string answer =
            listed ? R"("content":"ok")" : R"("is_error":true,"content":"Answer questions?")";
        return end_of_refused(
            R"({"type":"system","subtype":"init","model":"m","session_id":"s","uuid":"u"})"
            "\n"
            R"({"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"c","name":")" +
            tool +
            R"(","input":{}}]},"session_id":"s","uuid":"u"})"
            "\n"
            R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c",)" +
            answer +
            R"(}]},"session_id":"s","uuid":"u"})"
            "\n"
            R"({"type":"assistant","message":{"id":"m2","content":[{"type":"tool_use","id":"w","name":"Write","input":{"file_path":"a","content":"b"}}]},"session_id":"s","uuid":"u"})"
            "\n"
            R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"w","content":"File created"}]},"session_id":"s","uuid":"u"})"
            "\n"
            R"({"type":"result","subtype":"success","is_error":false,"result":"Done.","permission_denials":)" +
            denied +
            R"(,"session_id":"s","uuid":"u"})"
            "\n");
    };
    for (const bool listed : {true, false}) {
        CAPTURE(listed);
        const auto end = end_after("AskUserQuestion", listed);
        CHECK(end.completed);
        CHECK_THAT(end.reason, Catch::Contains("no person answered AskUserQuestion"));
        CHECK_THAT(end_after("WebFetch", listed).reason, !Catch::Contains("WebFetch"));
    }
}

TEST_CASE("refused lines: Claude Code's refusals are known by their words, too", "[cli]") {
    const std::string lines =
        R"({"type":"system","subtype":"init","model":"m","session_id":"s","uuid":"u"})"
        "\n"
        R"({"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"c","name":"Bash","input":{"command":"x"}}]},"session_id":"s","uuid":"u"})"
        "\n"
        R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c","is_error":true,"content":"This command requires approval"}]},"session_id":"s","uuid":"u"})"
        "\n"
        R"({"type":"result","subtype":"success","is_error":false,"result":"I could not.","session_id":"s","uuid":"u"})"
        "\n";
    const auto end = end_of_refused(lines);
    CHECK_FALSE(end.completed);
    CHECK_THAT(end.reason, Catch::Contains("Bash was refused"));
}
