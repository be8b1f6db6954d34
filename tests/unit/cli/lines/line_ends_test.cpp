// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "cli/lines/run_end.hpp"
#include "tests/unit/cli/lines/told.hpp"

// Ends that agents report by a line of its own, before a result that says success, as the sources
// and the schemas of these agents have them.

using headway::cli::RunEnd;
using headway::core::Cause;
using headway::tests::told_of;
using Events = std::vector<std::string>;

namespace {

RunEnd end_of_lines(const std::string& output) {
    return headway::cli::run_end(told_of(output, 4'096).facts, {});
}

std::string copilot(const std::string& type, const std::string& data,
                    const std::string& more = "") {
    return R"({"type":")" + type + R"(","data":{)" + data +
           R"(},"id":"e1","timestamp":"t","parentId":"e0")" + more + "}\n";
}

std::string copilot_result(const std::string& more = "") {
    return R"({"type":"result","timestamp":"t","sessionId":"c1","exitCode":0,"usage":{})" + more +
           "}\n";
}

const std::string kSaid = copilot("session.tools_updated", R"("model":"gpt-5.5")") +
                          copilot("assistant.message", R"("messageId":"m","content":"All done.")");
const std::string kSub = R"(,"agentId":"a1")";

std::string gemini_line(const std::string& members) {
    return R"({"timestamp":"2026-11-26T10:00:00.000Z",)" + members + "}\n";
}

const std::string kGeminiInit = gemini_line(R"("type":"init","session_id":"g","model":"m")");
const std::string kGeminiDone = gemini_line(R"("type":"result","status":"success","stats":{})");

std::string gemini_call(const std::string& tool, const std::string& end) {
    return gemini_line(R"("type":"tool_use","tool_name":")" + tool +
                       R"(","tool_id":"c1","parameters":{})") +
           gemini_line(R"("type":"tool_result","tool_id":"c1","status":"success")" + end);
}

}  // namespace

TEST_CASE("line ends: an abort of Copilot CLI is no success, though its exit code is 0", "[cli]") {
    CHECK(end_of_lines(kSaid + copilot_result()).completed);
    const auto abort = [](const std::string& reason, const std::string& more = "") {
        return kSaid + copilot("abort", R"("reason":")" + reason + "\"", more);
    };
    const RunEnd limit = end_of_lines(abort("autopilot_credit_limit") + copilot_result());
    CHECK_FALSE(limit.completed);
    CHECK(limit.limited);
    CHECK_FALSE(limit.refused);
    CHECK_THAT(limit.reason, Catch::Contains("autopilot_credit_limit"));
    for (const char* reason :
         {"user_initiated", "remote_command", "user_abort", "of_a_newer_version"}) {
        CAPTURE(reason);
        const RunEnd end = end_of_lines(abort(reason) + copilot_result());
        CHECK_FALSE(end.completed);
        CHECK(end.refused);
        CHECK_FALSE(end.limited);
        CHECK_THAT(end.reason, Catch::Contains(reason));
        CHECK(end_of_lines(abort(reason)).refused);  // killed before its result
        // Sub-agents go on a moment longer.
        CHECK_FALSE(end_of_lines(abort(reason) +
                                 copilot("assistant.message", R"("content":"I look.")", kSub) +
                                 copilot("session.autopilot_stopped", R"("reason":"aborted")") +
                                 copilot_result())
                        .completed);
    }
    CHECK(told_of(abort("user_abort")).rest.empty());
    CHECK(end_of_lines(abort("user_abort", kSub) + copilot_result()).completed);
    const std::string other = R"({"type":"abort","data":{}})";  // of another program
    CHECK(told_of(other + "\n").rest == other);
    // A script that starts it again.
    CHECK(
        end_of_lines(abort("user_abort") + copilot_result() + kSaid + copilot_result()).completed);
}

TEST_CASE("line ends: an end of Copilot CLI that was killed is not that of its next run", "[cli]") {
    const std::string begins = copilot("session.skills_loaded", R"("skills":[])");
    const std::string run = begins + kSaid + copilot_result();
    for (const std::string& end :
         {copilot("abort", R"("reason":"user_abort")"),
          copilot("session.task_complete", R"("success":false,"outcome":"blocked")"),
          copilot("session.warning", R"("warningType":"policy_blocked","message":"no")")}) {
        CAPTURE(end);
        CHECK_FALSE(end_of_lines(begins + kSaid + end).completed);
        CHECK(end_of_lines(begins + kSaid + end + run).completed);
        CHECK_FALSE(end_of_lines(run + begins + kSaid + end).completed);
    }
    const std::string refused =
        copilot("tool.execution_start", R"("toolCallId":"c","toolName":"bash","arguments":{})") +
        copilot("tool.execution_complete", R"("toolCallId":"c","success":false,)"
                                           R"("error":{"code":"denied","message":"no"})");
    CHECK_FALSE(end_of_lines(begins + kSaid + refused + copilot_result()).completed);
    CHECK(end_of_lines(begins + kSaid + refused + run).completed);
    // Its result was that of the run before.
    CHECK_FALSE(end_of_lines(run + begins + kSaid).completed);
}

TEST_CASE("line ends: Copilot CLI's task that is blocked or not accepted is no success", "[cli]") {
    const auto task = [](const std::string& members, const std::string& more = "") {
        return kSaid + copilot("session.task_complete", members, more);
    };
    const std::string done = R"("summary":"s","success":true,"outcome":"completed")";
    const std::string blocked =
        R"("summary":"stuck","success":false,"outcome":"blocked","reason":"needs a decision")";
    CHECK(end_of_lines(task(done) + copilot_result()).completed);
    CHECK(end_of_lines(task(R"("summary":"s")") + copilot_result()).completed);
    const RunEnd end = end_of_lines(task(blocked) + copilot_result(R"(,"outcome":"blocked")"));
    CHECK_FALSE(end.completed);
    CHECK(end.refused);
    CHECK_THAT(end.reason, Catch::StartsWith("needs a person: needs a decision"));
    CHECK(end_of_lines(kSaid + copilot_result(R"(,"outcome":"blocked")")).refused);
    // The model's last words about it are no success.
    CHECK(end_of_lines(task(blocked) + kSaid + copilot_result()).refused);
    for (const char* outcome : {R"("paused")", R"("continue")", "5", "null", "{}"}) {
        CAPTURE(outcome);
        CHECK_FALSE(end_of_lines(kSaid + copilot_result(R"(,"outcome":)" + std::string{outcome}))
                        .completed);
    }
    CHECK(end_of_lines(kSaid + copilot_result(R"(,"outcome":"completed")")).completed);
    for (const char* members : {R"("success":false,"outcome":"continue")", R"("success":false)",
                                R"("success":true,"outcome":"of_a_newer_version")"}) {
        CAPTURE(members);
        CHECK_FALSE(end_of_lines(task(members) + copilot_result()).completed);
        CHECK(end_of_lines(task(members) + task(done) + copilot_result()).completed);
        CHECK(end_of_lines(task(members, kSub) + copilot_result()).completed);
    }
}

TEST_CASE("line ends: Copilot CLI's autopilot that gave up is no success", "[cli]") {
    const auto stopped = [](const std::string& reason) {
        return kSaid + copilot("session.autopilot_stopped", R"("reason":")" + reason + "\"",
                               R"(,"ephemeral":true)");
    };
    CHECK(end_of_lines(stopped("task_complete") + copilot_result()).completed);
    const RunEnd guard = end_of_lines(stopped("no_progress") + copilot_result());
    CHECK_FALSE(guard.completed);
    CHECK(guard.guarded);
    CHECK_THAT(guard.reason, Catch::StartsWith("Copilot CLI stopped itself: "));
    const RunEnd late = end_of_lines(stopped("background_timeout") + copilot_result());
    CHECK_FALSE(late.completed);
    CHECK(late.cut_off);
    CHECK_THAT(late.reason, Catch::StartsWith("its work in the background was cut off"));
    CHECK(end_of_lines(stopped("completion_blocked") + copilot_result()).refused);
    CHECK(end_of_lines(stopped("permission_recovery_blocked") + copilot_result()).refused);
    CHECK(end_of_lines(stopped("aborted") + copilot_result()).refused);
    for (const char* reason : {"error", "of_a_newer_version", ""}) {
        CAPTURE(reason);
        CHECK_FALSE(end_of_lines(stopped(reason) + copilot_result()).completed);
    }
    const auto warns = [](const std::string& kind, const std::string& more = "") {
        return kSaid +
               copilot("session.warning",
                       R"("warningType":")" + kind + R"(","message":"Timed out after 600s")", more);
    };
    for (const char* kind : {"background_task_wait_timeout", "autopilot_background_timeout"}) {
        CAPTURE(kind);
        const RunEnd end = end_of_lines(warns(kind) + copilot_result());
        CHECK_FALSE(end.completed);
        CHECK(end.cut_off);
        CHECK_THAT(end.reason, Catch::Contains("Timed out after 600s"));
        CHECK(end_of_lines(warns(kind, kSub) + copilot_result()).completed);
    }
    CHECK(end_of_lines(warns("autopilot_no_progress") + copilot_result()).guarded);
    CHECK(end_of_lines(warns("mcp") + copilot_result()).completed);
    headway::cli::OutputLines rest;
    headway::cli::AgentLines lines([](const headway::cli::LineEvent&, bool) {});
    for (int i = 0; i < 100; ++i)
        lines.feed(warns(std::to_string(i) + "_wait_timeout"), rest);
    CHECK(lines.facts().ends.size() == 1);
    headway::cli::RunFacts facts;
    facts.note_end({"task", {false, std::string(100'000, 'x')}});
    CHECK(facts.ends.front().result.text.size() < 10'000);
    CHECK(end_of_lines(warns("policy_blocked") + copilot_result()).refused);
    CHECK(end_of_lines(warns("compaction_static_context_blocked") + copilot_result()).cause ==
          Cause::kContextFull);
}

TEST_CASE("line ends: an error of a hook or a sub-agent of Copilot CLI ends no turn", "[cli]") {
    const auto error = [](const std::string& kind, const std::string& more = "") {
        return copilot("session.error",
                       R"("errorType":")" + kind + R"(","message":"Hook command failed")", more);
    };
    const auto told = told_of(kSaid + error("hook") + copilot_result(), 4'096);
    CHECK(told.events.back() == "system: a hook has failed: Hook command failed");
    CHECK(headway::cli::run_end(told.facts, {}).completed);
    CHECK(told.result == "All done.");
    CHECK(end_of_lines(kSaid + error("query", kSub) + copilot_result()).completed);
    CHECK_FALSE(end_of_lines(kSaid + error("query") + copilot_result()).completed);
    CHECK_FALSE(end_of_lines(kSaid + error("model_call") + copilot_result()).completed);
    CHECK(end_of_lines(error("model_call") + kSaid + copilot_result()).completed);
    CHECK_FALSE(end_of_lines(kSaid + error("model_call") + error("query", kSub) + copilot_result())
                    .completed);
    // A sub-agent's words are no answer of the agent itself.
    const std::string below =
        copilot("assistant.message", R"("content":"I found it.")", kSub) +
        copilot("tool.execution_start", R"("toolCallId":"c","toolName":"view","arguments":{})",
                kSub) +
        copilot("tool.execution_complete", R"("toolCallId":"c","success":true,"result":{})", kSub);
    CHECK_FALSE(end_of_lines(kSaid + error("model_call") + below + copilot_result()).completed);
    CHECK(told_of(kSaid + below + copilot_result()).result == "All done.");
}

TEST_CASE("line ends: Copilot CLI's last answer says why it ended", "[cli]") {
    const auto record = [](const std::string& members, const std::string& more = "") {
        return copilot(
            "session.usage_record",
            R"("usage":{"model":"gpt-6","inputTokens":10,"outputTokens":4096)" + members + "}",
            more);
    };
    const auto ended = [](const std::string& reason) {
        return R"(,"finishReason":")" + reason + "\"";
    };
    for (const char* reason : {"stop", "tool_calls", "function_call", ""})
        CHECK(end_of_lines(kSaid + record(ended(reason)) + copilot_result()).completed);
    CHECK(end_of_lines(kSaid + record("") + copilot_result()).completed);
    CHECK(end_of_lines(kSaid + record(R"(,"finishReason":null)") + copilot_result()).completed);
    const RunEnd cut = end_of_lines(record(ended("length")) + kSaid + copilot_result());
    CHECK_FALSE(cut.completed);
    CHECK_THAT(cut.reason, Catch::StartsWith("its last answer was cut off"));
    for (const std::string& members :
         {ended("content_filter"), ended("stop") + R"(,"contentFilterTriggered":true)"}) {
        CAPTURE(members);
        const RunEnd refusal = end_of_lines(kSaid + record(members) + copilot_result());
        CHECK_FALSE(refusal.completed);
        CHECK(refusal.cause == Cause::kRefused);
    }
    const RunEnd odd = end_of_lines(kSaid + record(ended("of_a_newer_version")) + copilot_result());
    CHECK_FALSE(odd.completed);
    CHECK_THAT(odd.reason, Catch::Contains("of_a_newer_version"));
    CHECK_FALSE(end_of_lines(kSaid + record(R"(,"finishReason":5)") + copilot_result()).completed);
    // Only the last one counts, and only that of the agent itself.
    CHECK(end_of_lines(kSaid + record(ended("length")) + record(ended("stop")) + copilot_result())
              .completed);
    const std::string length = ended("length");
    const std::string agent = ended("stop") + R"(,"initiator":"agent",)"
                                              R"("interactionType":"conversation-agent")";
    for (const std::string& other :
         {record(length, kSub), record(length + R"(,"initiator":"sub-agent")"),
          record(length + R"(,"initiator":"mcp-sampling")"),
          record(length + R"(,"initiator":"agent","interactionType":"conversation-background")"),
          record(length + R"(,"parentToolCallId":"c1")")}) {
        CAPTURE(other);
        CHECK(end_of_lines(kSaid + record(agent) + other + copilot_result()).completed);
    }
    const auto told = told_of(kSaid + record(agent));
    CHECK(told.model == "gpt-6");
    CHECK(told_of(kSaid + record(agent, kSub)).model == "gpt-5.5");
}

TEST_CASE("line ends: each call's model of Copilot CLI is that of its record", "[cli]") {
    std::vector<std::string> models;
    headway::cli::OutputLines rest;
    headway::cli::AgentLines lines([&models](const headway::cli::LineEvent& event, bool) {
        if (event.type == "heartbeat") models.push_back(event.data["usage"].text_of("model"));
    });
    lines.feed(kSaid + copilot("session.usage_record",
                               R"("usage":{"model":"gpt-6","inputTokens":10,"outputTokens":2})"),
               rest);
    CHECK(models == Events{"gpt-6"});
}

TEST_CASE("line ends: an answer of opencode that a filter ended is a refusal", "[cli]") {
    const RunEnd end =
        end_of_lines(R"({"type":"step_finish","timestamp":1,"sessionID":"s","part":{"id":"p",)"
                     R"("reason":"content-filter","tokens":{}}})"
                     "\n");
    CHECK_FALSE(end.completed);
    CHECK(end.cause == Cause::kRefused);
}

TEST_CASE("line ends: a command of Gemini CLI that failed without output has failed", "[cli]") {
    const auto end_of_call = [](const std::string& tool, const std::string& output) {
        return told_of(kGeminiInit + gemini_call(tool, R"(,"output":")" + output + "\""))
            .events.back();
    };
    const std::string shell = "run_shell_command";
    const std::string failed = "failed c1 " + shell;
    CHECK(end_of_call(shell, "Command exited with code: 1") == failed);
    CHECK(end_of_call(shell, "Command terminated by signal: 9") == failed);
    CHECK(end_of_call(shell, "Command terminated by signal: SIGKILL") == failed);
    CHECK(end_of_call(shell, "Command failed: spawn ENOENT") == failed);
    CHECK(end_of_call(shell, "Blocked: command substitution detected in shell command.") == failed);
    CHECK(end_of_call(shell, "Command cancelled by user.") == failed + ": cancelled");
    const std::string late =
        "Command was automatically cancelled because it exceeded the timeout of 5.0 minutes "
        "without output.";
    CHECK(end_of_call(shell, late) == failed + ": timeout");
    CHECK(end_of_call(shell, late + "\\n\\nOutput before cancellation:\\nx") ==
          failed + ": timeout");
    // Words of the command itself.
    for (const char* output : {"", "ok", "Command exited with code: 1\\nthat is what it printed",
                               "log: Command exited with code: 1", "Command exited with code: x",
                               "Command cancelled by user. Retrying", "Command exited with code: "})
        CHECK(end_of_call(shell, output) == "ok c1 " + shell);
    CHECK(end_of_call("read_file", "Command exited with code: 1") == "ok c1 read_file");
}

TEST_CASE("line ends: a call of Gemini CLI that lacks its output is no success", "[cli]") {
    const auto end_of_call = [](const std::string& tool) {
        return told_of(kGeminiInit + gemini_call(tool, "")).events.back();
    };
    for (const std::string tool : {"mcp_db_write", "read_file", "web_fetch", "google_web_search"}) {
        CAPTURE(tool);
        CHECK(end_of_call(tool) == "failed c1 " + tool + ": cancelled");
    }
    // A sub-agent that has reached its goal has no output in its line either.
    for (const std::string tool :
         {"replace", "write_file", "write_todos", "list_directory", "grep_search",
          "tracker_list_tasks", "run_shell_command", "codebase_investigator", "invoke_agent"}) {
        CAPTURE(tool);
        CHECK(end_of_call(tool) == "ok c1 " + tool);
    }
    for (const std::string tool : {"mcp_db_read", "read_file"})
        CHECK(told_of(kGeminiInit + gemini_call(tool, R"(,"output":"")")).events.back() ==
              "ok c1 " + tool);
}

TEST_CASE("line ends: a call of Gemini CLI's model that a hook blocked is no success", "[cli]") {
    const std::string begins = kGeminiInit + gemini_call("read_file", R"(,"output":"ok")");
    const std::string blocked = gemini_line(
        R"("type":"error","severity":"warning","message":"Agent execution blocked: not allowed")");
    const RunEnd end = end_of_lines(begins + blocked + kGeminiDone);
    CHECK_FALSE(end.completed);
    CHECK(end.refused);
    CHECK_THAT(end.reason, Catch::Contains("Agent execution blocked: not allowed"));
    // A hook at the end of a turn, which makes the agent go on.
    const std::string said =
        gemini_line(R"("type":"message","role":"assistant","content":"Done.","delta":true)");
    CHECK(end_of_lines(begins + said + blocked + said + kGeminiDone).completed);
    CHECK(
        end_of_lines(begins + blocked + gemini_call("read_file", R"(,"output":"ok")") + kGeminiDone)
            .completed);
    CHECK_FALSE(end_of_lines(begins + said + blocked + kGeminiDone).completed);
    const std::string other =
        gemini_line(R"("type":"error","severity":"warning","message":"Slow network")");
    CHECK(end_of_lines(begins + said + other + kGeminiDone).completed);
}

TEST_CASE("line ends: only a call of cursor-agent that says success is one", "[cli]") {
    const auto end_of_call = [](const std::string& result) {
        return told_of(
                   R"({"type":"tool_call","subtype":"completed","call_id":"c","session_id":"s",)"
                   R"("tool_call":{"shellToolCall":{"args":{"command":"make"},"result":)" +
                   result + "}}}\n")
            .events.back();
    };
    CHECK(end_of_call(R"({"success":{"exitCode":0,"stdout":"x"}})") == "ok c unknown");
    CHECK(end_of_call(R"({"success":{"content":"x"}})") == "ok c unknown");
    CHECK(end_of_call(R"({"success":{"exitCode":1,"stderr":"no"}})") == "failed c unknown");
    CHECK(end_of_call(R"({"failure":{"exitCode":2,"stderr":"no"}})") == "failed c unknown");
    CHECK(end_of_call(R"({"background":false,"rejected":{}})") == "failed c unknown: denied");
    CHECK(end_of_call("{}") == "failed c unknown");
    CHECK(end_of_call(R"({"of_a_newer_version":{}})") == "failed c unknown");
    CHECK(end_of_call(R"({"timeout":{"timeoutMs":5}})") == "failed c unknown: timeout");
    for (const char* word : {"rejected", "permissionDenied"})
        CHECK(end_of_call(R"({")" + std::string{word} + R"(":{"reason":"no"}})") ==
              "failed c unknown: denied");
    for (const char* result : {"null", R"("done")", "[]", "true", R"({"success":false})"})
        CHECK(end_of_call(result) == "failed c unknown");
    // A function has no result, by its documentation.
    CHECK(told_of(R"({"type":"tool_call","subtype":"completed","call_id":"c","session_id":"s",)"
                  R"("tool_call":{"function":{"name":"f","arguments":"{}"}}})"
                  "\n")
              .events.back() == "ok c unknown");
}

TEST_CASE("line ends: a call of opencode whose status is not known is no success", "[cli]") {
    const auto end_of_call = [](const std::string& status) {
        return told_of(R"({"type":"tool_use","timestamp":1,"sessionID":"s","part":{"callID":"c",)"
                       R"("tool":"read","state":{"status":")" +
                       status + "\",\"input\":{},\"output\":\"x\"}}}\n")
            .events.back();
    };
    CHECK(end_of_call("completed") == "ok c read");
    CHECK(end_of_call("running") == "failed c read: cancelled");
    CHECK(end_of_call("pending") == "failed c read: cancelled");
    CHECK(end_of_call("of_a_newer_version") == "failed c read");
}
