// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "api/hooks/dialect.hpp"
#include "api/json/json_writer.hpp"
#include "tests/unit/api/hooks/fixtures.hpp"

// How calls, answers and turns ended, in the forms that the agents' programs write: a failure is
// never read as a success.

using namespace headway;
using namespace headway::api::hooks;
using namespace headway::tests;

namespace {

/// A hook with the document that its arguments lie on.
struct EndHook {
    EndHook(std::string_view agent, const std::string& event, const std::string& members) {
        require_ok(document.parse(R"({"session_id":"s","cwd":"/w","hook_event_name":")" + event +
                                  "\"," + members + "}"));
        hook = find_dialect(agent)->parse(document.root(), {});
    }
    api::JsonDocument document;
    Hook hook;
};

std::string quoted_text(std::string_view text) {
    std::string json;
    api::append_json_string(json, text);
    return json;
}

std::string call_members(const std::string& tool, const std::string& input,
                         const std::string& response) {
    return R"("tool_name":")" + tool + R"(","tool_use_id":"t","tool_input":)" + input +
           R"(,"tool_response":)" + response;
}

/// "ok", "failed" or its class, then the exit code: how a call ended.
std::string end_of_call(const HookCall& call) {
    std::string end = call.ok.value_or(true) ? "ok" : "failed";
    if (!call.error_class.empty()) end = call.error_class;
    if (call.exit_code) end += " " + std::to_string(*call.exit_code);
    const bool sound = call.ok.value_or(true) ? call.error.empty() : call.result.empty();
    return sound ? end : end + ", and its texts are mixed up";
}

std::string end_of_tool(std::string_view agent, const std::string& tool, const std::string& input,
                        const std::string& response) {
    const EndHook read{agent, agent == "gemini" ? "AfterTool" : "PostToolUse",
                       call_members(tool, input, response)};
    return end_of_call(read.hook.call);
}

/// How a command of Gemini's shell ended, by its text for the model and the one for people.
std::string end_in_shell(std::string_view content, std::string_view shown) {
    const std::string wrapped =
        "<untrusted_context>\n" + std::string{content} + "\n</untrusted_context>";
    return end_of_tool("gemini", "run_shell_command", R"({"command":"make"})",
                       R"({"llmContent":)" + quoted_text(wrapped) + R"(,"returnDisplay":)" +
                           quoted_text(shown) + "}");
}

}  // namespace

TEST_CASE("hook ends: a turn without words is silent in the form of each agent", "[api][hooks]") {
    const auto silent = [](std::string_view agent, const std::string& event,
                           const std::string& members) {
        const EndHook read{agent, event, members};
        CHECK((read.hook.text.empty() || !read.hook.silent));
        return read.hook.silent;
    };
    CHECK(
        silent("gemini", "AfterAgent", R"("prompt":"go","prompt_response":"[no response text]")"));
    CHECK(silent("gemini", "AfterAgent", R"("prompt":"go","prompt_response":"")"));
    CHECK_FALSE(silent("gemini", "AfterAgent", R"("prompt":"go","prompt_response":"done")"));
    CHECK(silent("qwen", "Stop", R"("last_assistant_message":"[no response text]","crons":[])"));
    CHECK(silent("qwen", "SubagentStop", R"("agent_id":"a","last_assistant_message":"")"));
    CHECK_FALSE(silent("qwen", "Stop", R"("background_tasks":[],"crons":[])"));
    for (const char* event : {"Stop", "SubagentStop"}) {
        CHECK(silent("claude", event, R"("background_tasks":[],"session_crons":[])"));
        CHECK_FALSE(silent("claude", event,
                           R"("background_tasks":[],"last_assistant_message":"It is done")"));
        // A version that does not report the message, and agents that never leave it out.
        CHECK_FALSE(silent("claude", event, R"("stop_hook_active":false)"));
        CHECK_FALSE(silent("codex", event, R"("stop_hook_active":false,"background_tasks":[])"));
        CHECK_FALSE(silent("copilot", event, R"("stop_hook_active":false,"background_tasks":[])"));
    }
}

TEST_CASE("hook ends: a sub-agent that failed has failed without an error of its call",
          "[api][hooks]") {
    const auto gemini = [](const std::string& display) {
        return end_of_tool("gemini", "codebase_investigator", "{}",
                           R"({"llmContent":[{"text":"It came to this"}],"returnDisplay":)"
                           R"({"isSubagentProgress":true,"agentName":"x","recentActivity":[],)" +
                               display + "}}");
    };
    CHECK(gemini(R"("state":"completed","result":"r","terminateReason":"GOAL")") == "ok");
    CHECK(gemini(R"("state":"completed","result":"r")") == "ok");
    CHECK(gemini(R"("state":"error")") == "failed");
    CHECK(gemini(R"("state":"cancelled")") == "cancelled");
    CHECK(gemini(R"("state":"frozen")") == "failed");
    for (const char* why : {"TIMEOUT", "MAX_TURNS", "ERROR", "ERROR_NO_COMPLETE_TASK_CALL", "new"})
        CHECK(gemini(R"("state":"completed","terminateReason":")" + std::string{why} + "\"") ==
              "failed");

    const auto qwen = [](const std::string& display) {
        const std::string shown = R"({"type":"task_execution","subagentName":"x",)" + display + "}";
        const std::string post =
            end_of_tool("qwen", "agent", "{}",
                        R"({"llmContent":"It came to this","returnDisplay":)" + shown + "}");
        const EndHook batch{
            "qwen", "PostToolBatch",
            R"("tool_calls":[{"tool_name":"agent","tool_input":{},"tool_call_id":"c",)"
            R"("status":"success","tool_response":{"execution_status":"success",)"
            R"("response_parts":[{"functionResponse":{"response":{"output":"It came"}}}],)"
            R"("result_display":)" +
                shown + "}}]"};
        CHECK(end_of_call(batch.hook.calls.at(0)) == post);
        return post;
    };
    CHECK(qwen(R"("status":"completed","terminateReason":"GOAL")") == "ok");
    CHECK(qwen(R"("status":"background")") == "ok");
    CHECK(qwen(R"("status":"failed","terminateReason":"ERROR")") == "failed");
    CHECK(qwen(R"("status":"failed","terminateReason":"MAX_TURNS")") == "failed");
    CHECK(qwen(R"("status":"cancelled","terminateReason":"by user")") == "cancelled");
    CHECK(qwen(R"("status":"completed","terminateReason":"LOOP_DETECTED")") == "failed");
    CHECK(qwen(R"("status":"frozen")") == "failed");
}

TEST_CASE("hook ends: a command that was ended by time, person or signal has failed",
          "[api][hooks]") {
    const std::string time = "Command was automatically cancelled because it exceeded the timeout";
    CHECK(end_in_shell(time + " of 5.0 minutes without output. There was no output before it was "
                              "cancelled.",
                       time + " of 5.0 minutes without output.") == "failed");
    CHECK(end_in_shell("Command was cancelled by user before it could complete. There was no "
                       "output before it was cancelled.",
                       "Command cancelled by user.") == "cancelled");
    CHECK(end_in_shell("Output: (empty)\nSignal: SIGKILL\nProcess Group PGID: 77",
                       "Command terminated by signal: SIGKILL") == "failed");
    CHECK(end_in_shell("Output: a\nSignal: 9\nBackground PIDs: 8\nProcess Group PGID: 77", "a") ==
          "failed");
    CHECK(end_of_tool("gemini", "run_shell_command", "{}",
                      R"({"llmContent":"Command was cancelled by user before it could start.",)"
                      R"("returnDisplay":"Command cancelled by user."})") == "cancelled");
    CHECK(end_of_tool("gemini", "run_shell_command", "{}",
                      R"({"llmContent":"Command injection detected: command substitution syntax",)"
                      R"("returnDisplay":"Blocked: command substitution detected."})") == "denied");
    // A summary of the output by a model, which the agent's settings may ask for.
    CHECK(end_in_shell("It printed nothing.", "Command exited with code: 1") == "failed 1");
    CHECK(end_in_shell("It was killed.", "Command terminated by signal: 9") == "failed");
    CHECK(end_in_shell("It printed two lines.", "a\nb") == "ok");
    // Its own words are those of the command.
    CHECK(end_in_shell("Output: Command exited with code: 1", "Command exited with code: 1") ==
          "ok");
    CHECK(end_in_shell("Output: Command was cancelled by user", "Command was cancelled by user") ==
          "ok");
    CHECK(end_of_tool(
              "gemini", "mcp_a_b", "{}",
              R"({"llmContent":"Command was cancelled by user before it could complete."})") ==
          "ok");
}

TEST_CASE("hook ends: only the shell tool's own lines are its exit code", "[api][hooks]") {
    CHECK(end_of_tool("gemini", "read_file", R"({"file_path":"ci.log"})",
                      R"({"llmContent":"step 3 failed\nExit Code: 1\n","returnDisplay":""})") ==
          "ok");
    CHECK(end_of_tool("qwen", "read_file", R"({"file_path":"ci.log"})",
                      R"({"llmContent":"step 3 failed\nExit Code: 1\n","returnDisplay":""})") ==
          "ok");
    CHECK(end_in_shell("Output: step 3 failed\nExit Code: 1\nProcess Group PGID: 7",
                       "step 3 failed\nExit Code: 1") == "ok");
    CHECK(end_in_shell("Output: failed\nSignal: 9\nProcess Group PGID: 7", "failed\nSignal: 9\n") ==
          "ok");
    // Where the command ended so besides.
    CHECK(end_in_shell("Output: failed\nExit Code: 1\nExit Code: 1\nProcess Group PGID: 7",
                       "failed\nExit Code: 1") == "failed 1");
    CHECK(end_in_shell("Output: failed\nExit Code: 1\nSignal: 9\nProcess Group PGID: 7",
                       "failed\nExit Code: 1") == "failed");
    CHECK(end_in_shell("Output: failed\nExit Code: 2\nProcess Group PGID: 7", "failed") ==
          "failed 2");
    CHECK(end_in_shell("Output: a\nExit Code: 1\nExit Code: 1\nExit Code: 1",
                       "a\nExit Code: 1\n"
                       "Exit Code: 1") == "failed 1");
    // In a terminal its rows are shown, each of them to its full width.
    const auto in_terminal = [](const std::string& text) {
        return end_of_tool("gemini", "run_shell_command", R"({"command":"cat ci.log"})",
                           R"({"llmContent":)" + quoted_text(text) +
                               R"(,"returnDisplay":[[{"text":"step 3 "},{"text":"failed   "}],)"
                               R"([{"text":"Exit Code: 1  "}],[{"text":"   "}],[]]})");
    };
    CHECK(in_terminal("Output: step 3 failed\nExit Code: 1\nProcess Group PGID: 7") == "ok");
    CHECK(in_terminal("Output: step 2\nstep 3 failed\nExit Code: 1\nProcess Group PGID: 7") ==
          "ok");
    CHECK(in_terminal("Output: step 3 failed\nExit Code: 1\nExit Code: 2") == "failed 2");
    CHECK(end_of_tool("gemini", "run_shell_command", R"({"command":"cat ci.log"})",
                      R"({"llmContent":"It is a log.","returnDisplay":)"
                      R"([[{"text":"Command exited with code: 1"}]]})") == "ok");
    // The debug mode shows people what the model gets.
    CHECK(end_in_shell("Output: failed\nExit Code: 2", "Output: failed\nExit Code: 2") ==
          "failed 2");
    // A file that has such a line has other content besides.
    const auto read = [](const std::string& line) {
        const EndHook hook{"gemini", "AfterTool",
                           call_members("read_file", "{}",
                                        R"({"llmContent":"port )" + line +
                                            R"( (PID: 7)\nExit Code: 0","returnDisplay":"Read"})")};
        return hook.hook.call.result;
    };
    CHECK(read("1") != read("2"));
}

TEST_CASE("hook ends: an answer of an MCP server that could not be read is no success",
          "[api][hooks]") {
    const std::string response =
        R"({"llmContent":[{"text":"[Error: Could not parse tool response]"}],"returnDisplay":"x"})";
    CHECK(end_of_tool("gemini", "mcp_db_query", "{}", response) == "failed");
    CHECK(end_of_tool("qwen", "mcp__db__query", "{}", response) == "failed");
}

TEST_CASE("hook ends: a command of qwen ended as qwen itself calls it", "[api][hooks]") {
    const auto text = [](const std::string& code) {
        return "Command: c\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: " + code +
               "\nSignal: (none)\nProcess Group PGID: 7";
    };
    const auto end = [&](const std::string& command, const std::string& code) {
        return end_of_tool("qwen", "run_shell_command",
                           R"({"command":)" + quoted_text(command) + "}",
                           R"({"llmContent":)" + quoted_text(text(code)) +
                               R"(,"returnDisplay":"Command exited with code: )" + code + "\"}");
    };
    for (const char* command :
         {"grep foo a", "/usr/bin/rg foo", "diff a b", "test -f x", "[ -f x ]", "[[ -f x ]]",
          "cat a | grep foo", "LC_ALL=C grep foo a", "sudo grep foo a", "grep 'a;b' c"}) {
        INFO(command);
        CHECK(end(command, "1") == "ok 1");
        CHECK(end(command, "2") == "failed 2");
    }
    for (const char* command : {"make", "grep foo a; make", "make && grep foo a", "make || test 1",
                                "grep foo a | make", "greps", "make\ngrep a b", "make &grep a"}) {
        INFO(command);
        CHECK(end(command, "1") == "failed 1");
    }
    CHECK(end("grep foo a", "0") == "ok 0");

    // From 0.24.4 on.
    const auto result = [&](const std::string& outcome, const std::string& code) {
        const EndHook read{
            "qwen", "PostToolUse",
            call_members(
                "run_shell_command", R"({"command":"c"})",
                R"({"llmContent":)" + quoted_text(text(code)) +
                    R"(,"returnDisplay":{"type":"shell_result","version":1,"text":"shown",)"
                    R"("output":"o","exitCode":)" +
                    code + R"(,"signal":null,"pid":7,"error":null,"outcome":")" + outcome +
                    R"("}})")};
        CHECK(read.hook.call.result + read.hook.call.error == "shown");
        return end_of_call(read.hook.call);
    };
    CHECK(result("completed", "0") == "ok 0");
    CHECK(result("completed", "1") == "ok 1");
    CHECK(result("failed", "1") == "failed 1");
    CHECK(result("timed_out", "0") == "failed 0");
    CHECK(result("cancelled", "0") == "cancelled 0");
    CHECK(result("frozen", "0") == "failed 0");
    CHECK(end_of_tool("qwen", "run_shell_command", "{}",
                      R"({"llmContent":)" + quoted_text(text("2")) +
                          R"(,"returnDisplay":{"ansiOutput":[]}})") == "failed 2");
}

TEST_CASE("hook ends: a result of claude with an error has failed and changed nothing",
          "[api][hooks]") {
    const auto read = [](const std::string& tool, const std::string& response) {
        const EndHook hook{"claude", "PostToolUse",
                           call_members(tool, R"({"notebook_path":"/w/a.ipynb"})", response)};
        return end_of_call(hook.hook.call) + ": " + hook.hook.call.error + hook.hook.call.result +
               (hook.hook.call.mutated.empty() ? "" : ", written");
    };
    CHECK(
        read("Workflow", R"({"status":"async_launched","taskId":"w1","error":"Unexpected end"})") ==
        "failed: Unexpected end");
    CHECK(read("NotebookEdit", R"({"new_source":"1","error":"ENOENT: no such file"})") ==
          "failed: ENOENT: no such file");
    CHECK(read("REPL", R"({"stdout":"","stderr":"","error":"ReferenceError: f"})") ==
          "failed: ReferenceError: f");
    CHECK(read("REPL", R"({"stdout":"7","stderr":"","error":""})") == "ok: 7");
    CHECK(read("REPL", R"({"stdout":"7","stderr":"","error":null})") == "ok: 7");
    CHECK_THAT(read("NotebookEdit", R"({"new_source":"1","error":""})"),
               Catch::StartsWith("ok: ") && Catch::EndsWith(", written"));
    CHECK(read("Workflow", R"({"status":"async_launched","taskId":"w1"})") ==
          "ok: it goes on in the background");
    CHECK_THAT(read("AskUserQuestion", R"({"questions":[],"answers":{}})"),
               Catch::Contains("a question was not answered") && !Catch::StartsWith("ok"));
    CHECK_THAT(read("AskUserQuestion", R"({"questions":[],"answers":{"Which?":"a"}})"),
               Catch::StartsWith("ok"));
}

TEST_CASE("hook ends: the reason why gemini's model stopped, and its thoughts", "[api][hooks]") {
    const auto read = [](const std::string& reason, bool with_use = true) {
        return EndHook{"gemini", "AfterModel",
                       R"("llm_request":{"model":"m"},"llm_response":{"text":"The plan is",)"
                       R"("candidates":[{"content":{"role":"model","parts":["The plan is"]})" +
                           (reason.empty() ? "" : R"(,"finishReason":")" + reason + "\"") +
                           R"(,"index":0}])" +
                           (with_use ? R"(,"usageMetadata":{"promptTokenCount":9,)"
                                       R"("candidatesTokenCount":8192,"totalTokenCount":9000})"
                                     : "") +
                           "}"};
    };
    const auto end = [&](const std::string& reason, bool with_use = true) {
        const EndHook one = read(reason, with_use);
        if (!one.hook.answer_end) return std::string{"goes on"};
        return one.hook.answer_end->error_class + "|" + one.hook.answer_end->words;
    };
    CHECK(end("") == "goes on");
    CHECK(end("STOP") == "|");
    CHECK(end("MAX_TOKENS") == "max_tokens|its last answer was cut off: MAX_TOKENS");
    CHECK(end("MAX_TOKENS", false) == end("MAX_TOKENS"));
    for (const char* refused :
         {"SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "IMAGE_SAFETY"})
        CHECK(end(refused) == "refusal|its last answer was refused: " + std::string{refused});
    for (const char* other : {"OTHER", "MALFORMED_FUNCTION_CALL", "NEW_REASON"})
        CHECK(end(other) == "|its last answer ended with " + std::string{other});
    const EndHook used = read("STOP");
    REQUIRE(used.hook.usage.has_value());
    CHECK(used.hook.usage->reasoning_tokens == 799);
    CHECK(used.hook.usage->output_tokens == 8192);
}
