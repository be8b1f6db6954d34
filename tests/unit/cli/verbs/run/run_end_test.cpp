// SPDX-License-Identifier: Apache-2.0
#include "cli/lines/run_end.hpp"

#include <catch2/catch.hpp>

#include <string>

#include "cli/lines/line_words.hpp"
#include "cli/lines/retry_notes.hpp"
#include "tests/unit/cli/lines/told.hpp"

using headway::cli::ExitStatus;
using headway::cli::run_end;
using headway::cli::RunEnd;
using headway::core::Cause;
using headway::tests::agent_fixture;
using headway::tests::told_of;

namespace {

RunEnd end_of(const std::string& output, int code = 0) {
    ExitStatus exit;
    exit.code = code;
    return run_end(told_of(output, 4'096).facts, exit);
}

std::string claude(const std::string& members) {
    return "{" + members + R"(,"session_id":"s","uuid":"u"})" + "\n";
}

const std::string kInit =
    claude(R"("type":"system","subtype":"init","model":"claude-opus-5","tools":[])");

std::string call(const std::string& id, const std::string& tool, const std::string& input) {
    return claude(R"("type":"assistant","message":{"id":"m)" + id +
                  R"(","content":[{"type":"tool_use","id":")" + id + R"(","name":")" + tool +
                  R"(","input":)" + input + "}]}");
}

std::string done(const std::string& id, const std::string& text = "ok") {
    return claude(R"("type":"user","message":{"content":[{"type":"tool_result","tool_use_id":")" +
                  id + R"(","content":")" + text + "\"}]}");
}

std::string refused(const std::string& id) {
    return claude(R"("type":"user","message":{"content":[{"type":"tool_result","tool_use_id":")" +
                  id +
                  R"(","is_error":true,"content":"Claude requested permissions to write to /w/x, )"
                  R"(but you haven't granted it yet."}]})");
}

std::string result(const std::string& more = "", const std::string& text = "All done.") {
    return claude(R"("type":"result","subtype":"success","is_error":false,"result":")" + text +
                  "\"" + more);
}

std::string denials(const std::string& id, const std::string& tool) {
    return R"(,"permission_denials":[{"tool_name":")" + tool + R"(","tool_use_id":")" + id + "\"}]";
}

const std::string kWrite = R"({"file_path":"/w/x","content":"y"})";

std::string gemini(const std::string& members) {
    return R"({"timestamp":"2026-11-26T10:00:00.000Z",)" + members + "}\n";
}

const std::string kGemini = gemini(R"("type":"init","session_id":"g1","model":"gemini-3")");
const std::string kCodex = R"({"type":"thread.started","thread_id":"t"})"
                           "\n"
                           R"({"type":"turn.started"})"
                           "\n";

std::string qwen(const std::string& members) {
    return claude(R"("type":"system","subtype":"init","qwen_code_version":"0.24")") +
           claude(R"("type":"result",)" + members);
}

std::string qwen_result(const std::string& text) {
    return qwen(R"("subtype":"success","is_error":false,"result":")" + text + "\"");
}

std::string cursor(const std::string& members) {
    return R"({"type":"system","subtype":"init","session_id":"s"})"
           "\n"
           R"({"type":"result","session_id":"s","result":"x",)" +
           members + "}\n";
}

std::string opencode(const std::string& type, const std::string& members) {
    return R"({"type":")" + type + R"(","timestamp":1,"sessionID":"s",)" + members + "}\n";
}

std::string pi(const std::string& message) {
    return R"({"type":"session","version":3,"id":"p","cwd":"/w"})"
           "\n"
           R"({"type":"message_end","message":{"role":"assistant",)" +
           message + "}}\n";
}

std::string cline(const std::string& members) {
    return R"({"ts":"2026-11-22T12:28:00.958Z",)" + members + "}\n";
}

}  // namespace

TEST_CASE("run end: a plain command ends as its exit status says", "[cli]") {
    CHECK(end_of("building\n").completed);
    CHECK(end_of("building\n").reason == "exit status 0");
    CHECK_FALSE(end_of("building\n", 2).completed);
    CHECK(end_of("{\"level\":\"info\"}\n").completed);
}

TEST_CASE("run end: an agent that was called for its lines and prints none has done nothing",
          "[cli]") {
    headway::cli::RunFacts facts;
    facts.called = "opencode";
    const RunEnd silent = run_end(facts, {});
    CHECK_FALSE(silent.completed);
    CHECK(silent.reason == "opencode printed no line of its own; exit status 0");
    facts.error = headway::cli::error_at_end("starting\nProviderModelNotFoundError: x/y\n");
    CHECK(run_end(facts, {}).cause == Cause::kModelMissing);
    CHECK_THAT(run_end(facts, {}).reason, Catch::Contains("ProviderModelNotFoundError: x/y"));
    facts = {};
    facts.called = "gemini";
    ExitStatus exit;
    exit.code = 41;
    CHECK(run_end(facts, exit).cause == Cause::kCredentials);
    facts.error = headway::cli::error_at_end("Please set it up.\n");
    CHECK(run_end(facts, exit).cause == Cause::kCredentials);
    facts.error = headway::cli::error_at_end("NotFoundError: x\n");
    CHECK(run_end(facts, {}).cause == Cause::kUnknown);
}

TEST_CASE("run end: the end of standard error names the cause of an agent without lines", "[cli]") {
    headway::cli::RunFacts facts;
    facts.error = headway::cli::error_at_end(
        "error: You've hit your usage limit.\n    at main (x.js:1)\nNode.js v22\n");
    CHECK(run_end(facts, {}).completed);
    ExitStatus exit;
    exit.code = 1;
    const RunEnd end = run_end(facts, exit);
    CHECK(end.cause == Cause::kUsageLimit);
    CHECK_THAT(end.reason, Catch::StartsWith("error: You've hit your usage limit. ("));
    CHECK(headway::cli::error_at_end("TypeError: x\n  at y\n").text_of("message") ==
          "TypeError: x");
    CHECK(headway::cli::error_at_end("\n  \n").is_null());
}

TEST_CASE("run end: an error of standard error that another one follows is not the cause",
          "[cli]") {
    using headway::cli::error_at_end;
    const std::string denied =
        "2026-11-30T01:00:00Z ERROR exec: exec error: Permission denied (os error 13)\n";
    const std::string limit = "You've hit your usage limit.\n";
    const std::string panics = "thread 'main' panicked at src/main.rs:7:2:\nindex out of bounds\n";
    headway::cli::RunFacts facts;
    ExitStatus exit;
    exit.code = 101;
    for (const std::string& before : {denied, limit}) {
        facts.error = error_at_end(before + "working\n" + panics);
        CHECK(facts.error->text_of("message") == "thread 'main' panicked at src/main.rs:7:2:");
        CHECK(run_end(facts, exit).cause == Cause::kUnknown);
    }
    facts.error = error_at_end(panics + limit + "Goodbye.\n");
    CHECK(run_end(facts, exit).cause == Cause::kUsageLimit);
    // The stack and the members that Node.js prints below its error are a part of it.
    facts.error = error_at_end(denied +
                               "TypeError: no\n    at request (x.js:1) {\n  error: undefined,\n"
                               "  [cause]: Error: getaddrinfo ENOTFOUND api.x\n}\nNode.js v22\n");
    CHECK(run_end(facts, exit).cause == Cause::kNetwork);
}

TEST_CASE("run end: what others may have written to standard error calls no person", "[cli]") {
    using headway::cli::error_at_end;
    const auto cause = [](const std::string& words) {
        headway::cli::RunFacts facts = told_of(kCodex, 4'096).facts;
        const auto error = error_at_end(words, true);
        if (!error.is_null()) facts.error = error;
        ExitStatus exit;
        exit.code = 1;
        return run_end(facts, exit).cause;
    };
    for (const char* words :
         {"ERROR rmcp: 401 Unauthorized", "sh: ./x: Permission denied", "out of credits",
          "Error: unknown tool x", "NotFoundError: x\nmodel not found"}) {
        CAPTURE(words);
        CHECK(cause(words) == Cause::kNone);
    }
    CHECK(cause("error: fetch failed") == Cause::kNetwork);
    CHECK(cause("error: You've hit your usage limit.") == Cause::kUsageLimit);
    CHECK(cause("thread 'main' panicked") == Cause::kUnknown);
    CHECK(error_at_end("ERROR rmcp: 401 Unauthorized").is_object());
}

TEST_CASE("run end: an error of the API in the place of Qwen Code's answer is no success",
          "[cli]") {
    const RunEnd login = end_of(qwen_result("[API Error: 401 status code (no body)]"));
    CHECK_FALSE(login.completed);
    CHECK(login.cause == Cause::kCredentials);
    const RunEnd limit = end_of(qwen_result("[API Error: 429 You exceeded your current quota]"));
    CHECK_FALSE(limit.completed);
    CHECK(limit.cause == Cause::kUsageLimit);
    CHECK(end_of(qwen_result("The log has [API Error: 401], which I mended.")).completed);
}

TEST_CASE("run end: work in the background that was cut off at the end is not done", "[cli]") {
    const std::string begins =
        kInit + call("t1", "Task", "{}") +
        claude(R"("type":"system","subtype":"task_started","task_id":"a1","tool_use_id":"t1",)"
               R"("is_backgrounded":true)") +
        done("t1", "launched");
    const auto ended = [](const std::string& status) {
        return claude(R"("type":"system","subtype":"task_notification","task_id":"a1",)"
                      R"("tool_use_id":"t1","status":")" +
                      status + "\"");
    };
    const auto cut_with = [&ended](const std::string& kind, const std::string& tool) {
        return end_of(kInit + call("t1", tool, "{}") +
                      claude(R"("type":"system","subtype":"task_started","task_id":"a1",)"
                             R"("tool_use_id":"t1","is_backgrounded":true)" +
                             kind) +
                      done("t1", "launched") + ended("killed") + result());
    };
    const RunEnd cut = end_of(begins + ended("stopped") + result());
    CHECK_FALSE(cut.completed);
    CHECK(cut.cut_off);
    CHECK_THAT(cut.reason, Catch::StartsWith("its work in the background was cut off"));
    CHECK(end_of(begins + ended("completed") + result()).reason == "exit status 0");
    CHECK(end_of(begins + ended("failed") + result()).completed);
    const RunEnd open = end_of(begins + result());  // a server, perhaps
    CHECK(open.completed);
    CHECK_THAT(open.reason,
               Catch::EndsWith("no line says that its work in the background has ended"));
    CHECK(cut_with(R"(,"task_type":"local_agent")", "Other").cut_off);
    // A server that was left running, and the shell in which it runs.
    CHECK(cut_with(R"(,"task_type":"local_bash")", "Task").completed);
    CHECK(cut_with("", "Bash").completed);
    const std::string runs = kInit + call("t1", "Bash",
                                          R"({"command":"npm run dev",)"
                                          R"("run_in_background":true})");
    CHECK(end_of(runs + done("t1") + ended("killed") + result()).completed);
    // The agent has stopped it itself, or goes on after that.
    CHECK(
        end_of(begins + call("t2", "TaskStop", R"({"task_id":"a1"})") + ended("stopped") + result())
            .completed);
    CHECK(end_of(begins + ended("stopped") + call("t3", "Read", "{}") + done("t3") + result())
              .completed);
}

TEST_CASE("run end: Claude Code's word that it ends what still runs is a note and no failure",
          "[cli]") {
    using headway::cli::says_end_of_rest;
    CHECK(says_end_of_rest("Background tasks still running after 600s; terminating."));
    CHECK_FALSE(says_end_of_rest("terminating\nBackground tasks still running after 60s"));
    headway::cli::RunFacts facts =
        told_of(kInit + call("t1", "Bash", R"({"command":"x","run_in_background":true})") +
                    done("t1") + result(),
                4'096)
            .facts;
    CHECK(facts.goes_on == 1);
    facts.ended_rest = true;
    const RunEnd end = run_end(facts, {});
    CHECK(end.completed);
    CHECK(end.reason == "exit status 0; it ended what still ran in the background");
}

TEST_CASE("run end: the cause is that of the error, whatever words the result has", "[cli]") {
    const auto copilot = [](const std::string& message) {
        return end_of(R"({"type":"session.error","id":"1","timestamp":"t","parentId":null,"data":)"
                      R"({"errorType":"query","message":")" +
                          message +
                          "\"}}\n"
                          R"({"type":"result","sessionId":"s","exitCode":1})"
                          "\n",
                      1);
    };
    const RunEnd limit = copilot("402 You have no quota");
    CHECK(limit.cause == Cause::kUsageLimit);
    CHECK_THAT(limit.reason, Catch::Contains("exit code 1; its last error: 402 You have no quota"));
    CHECK(copilot("Execution failed: Error: Please log in.").cause == Cause::kCredentials);
    CHECK(copilot("Something else").cause == Cause::kUnknown);
    const RunEnd full = end_of(
        kGemini + gemini(R"("type":"error","severity":"error","message":"prompt is too long")") +
        gemini(R"("type":"result","status":"error")"));
    CHECK(full.cause == Cause::kContextFull);
    CHECK_THAT(full.reason, Catch::Contains("prompt is too long"));
}

TEST_CASE("run end: an agent that ends because it refused a call needs a person", "[cli]") {
    const std::string refuses =
        opencode("tool_use", R"("part":{"callID":"c","tool":"read","state":{"status":"error",)"
                             R"("input":{},"error":"The user rejected permission to use this )"
                             R"(specific tool call."}})") +
        opencode("step_finish", R"("part":{"id":"b","reason":"tool-calls","tokens":{}})");
    const RunEnd end = end_of(refuses);
    CHECK(end.refused);
    CHECK_THAT(end.reason, Catch::StartsWith("needs a person: read was refused"));
    CHECK_FALSE(end_of(refuses, 137).refused);  // a crash
}

TEST_CASE("run end: the status of an error may stand in its second line only", "[cli]") {
    const auto twice = [](const std::string& kind, const std::string& status) {
        return end_of(kInit +
                      claude(R"("type":"assistant","error":")" + kind +
                             R"(","message":{"content":[{"type":"text","text":"no"}]})") +
                      claude(R"("type":"result","subtype":"success","is_error":true,"result":)"
                             R"("no","api_error_status":)" +
                             status));
    };
    CHECK(twice("unknown", "401").cause == Cause::kCredentials);
    CHECK(twice("unknown", "529").cause == Cause::kOverloaded);
    CHECK(twice("invalid_request", "429").cause == Cause::kRateLimit);
    CHECK(twice("invalid_request", "404").cause == Cause::kModelMissing);
    CHECK(twice("unknown", "null").cause == Cause::kUnknown);
}

TEST_CASE("run end: a refusal of the model is no crash", "[cli]") {
    const RunEnd end = end_of(kInit + result(R"(,"stop_reason":"refusal")", "I can't."));
    CHECK_FALSE(end.completed);
    CHECK(end.cause == Cause::kRefused);
    CHECK_THAT(end.reason, Catch::Contains("ended with \"refusal\": I can't."));
}

TEST_CASE("run end: a success whose last answer asks for a call that never ended is none",
          "[cli]") {
    const std::string asks = R"(,"stop_reason":"tool_use")";
    const std::string begins = kInit + call("t1", "Bash", R"({"command":"npm test"})");
    const RunEnd end = end_of(begins + result(asks, ""));
    CHECK_FALSE(end.completed);
    CHECK_THAT(end.reason, Catch::StartsWith("its last answer asks for a call"));
    CHECK(end_of(begins + done("t1") + result(asks, "")).completed);
    CHECK(end_of(begins + result(asks + R"(,"structured_output":{"a":1})", "")).completed);
}

TEST_CASE("run end: the agent's words hide none of Headway's", "[cli]") {
    const RunEnd wrapped = end_of(
        kGemini +
        gemini(R"("type":"result","status":"error","error":{"message":"[API Error: {\"error\":)"
               R"({\"message\":\"{\\\"error\\\":{\\\"message\\\": \\\"You exceeded your )"
               R"(current quota.\\\",\\\"details\\\":[]}}\"}}]"})"));
    CHECK(wrapped.cause == Cause::kUsageLimit);
    CHECK_THAT(wrapped.reason, Catch::StartsWith("You exceeded your current quota. ("));
    const RunEnd flood = end_of(
        kGemini + gemini(R"("type":"result","status":"error","error":{"message":"HTTP 429 )" +
                         std::string(5'000, 'x') + "\"}"));
    CHECK(flood.reason.size() < 700);
    CHECK_THAT(flood.reason, Catch::EndsWith("; exit status 0"));
}

TEST_CASE("run end: only the JSON of an error gives its message in the place of the words",
          "[cli]") {
    using headway::cli::plain_words;
    CHECK(plain_words(R"({"error":{"message":"no quota","details":[{"message":"x"}]}})") ==
          "no quota");
    CHECK(plain_words(R"(API Error: 400 {"type":"error","error":{"message":"bad"}})") == "bad");
    CHECK(plain_words(R"({"error":"bad"})") == "bad");
    for (const char* words : {R"(I set "message": "ok")", R"(the reply was {"message":"ok"})",
                              R"(Error: {"message":"ok"} was sent)", R"({"message": cut)"}) {
        CHECK(plain_words(words) == words);
    }
    // A result that shows code is no error, and Headway's own words stay.
    const RunEnd failed = end_of(
        kInit + claude(R"("type":"result","subtype":"error_max_turns","is_error":false,"result":)"
                       R"("I set \"message\": \"ok\"")"));
    CHECK_THAT(failed.reason, Catch::Contains(R"(I set "message": "ok")"));
    const RunEnd open =
        end_of(kGemini + gemini(R"("type":"error","severity":"error","message":)"
                                R"("{\"error\":{\"message\":\"prompt is too long\"}}")"));
    CHECK_THAT(open.reason,
               Catch::StartsWith("Gemini CLI ended without its result, the line \"result\"; its "
                                 "last error: prompt is too long ("));
}

TEST_CASE("run end: each agent that says that it is done is done", "[cli]") {
    for (const char* name : {"claude", "qwen", "codex", "gemini", "kilo", "copilot", "pi"}) {
        CAPTURE(name);
        const RunEnd end = end_of(agent_fixture(name));
        CHECK(end.completed);
        CHECK_THAT(end.reason, Catch::StartsWith("exit status 0"));
    }
}

TEST_CASE("run end: an agent that ends without its result has failed, whatever its exit status",
          "[cli]") {
    const std::string outputs[] = {
        kInit, kInit + call("t1", "Write", kWrite) + done("t1"),
        kCodex + R"({"type":"item.started","item":{"id":"i","type":"command_execution",)"
                 R"("command":"make","status":"in_progress"}})"
                 "\n",
        kGemini, opencode("step_start", R"("part":{"id":"p"})"),
        opencode("step_finish", R"("part":{"id":"p","reason":"tool-calls","tokens":{}})"),
        R"({"type":"session","version":3,"id":"p","cwd":"/w"})"
        "\n",
        pi(R"("stopReason":"toolUse","content":[])"),
        cline(R"("type":"agent_event","event":{"type":"iteration_start"})"),
        // A turn that was begun after the result of the one before.
        kCodex + R"({"type":"turn.completed","usage":{}})"
                 "\n"
                 R"({"type":"turn.started"})"
                 "\n"};
    for (const std::string& output : outputs) {
        CAPTURE(output);
        const RunEnd end = end_of(output);
        CHECK_FALSE(end.completed);
        CHECK_THAT(end.reason, Catch::Contains("ended without its result"));
        CHECK_THAT(end.reason, Catch::EndsWith("; exit status 0"));
    }
}

TEST_CASE("run end: an error in the last message is no success", "[cli]") {
    const std::string error = claude(
        R"("type":"assistant","error":"rate_limit","is_api_error_message":true,"message":{"id":"m",)"
        R"("content":[{"type":"text","text":"You have hit your session limit, resets 3pm"}]})");
    const RunEnd limit =
        end_of(kInit + error + result("", "You have hit your session limit, resets 3pm"));
    CHECK_FALSE(limit.completed);
    CHECK_THAT(limit.reason, Catch::Contains("session limit"));
    CHECK(limit.cause == Cause::kUsageLimit);
    // It went on, and the error is over.
    CHECK(end_of(kInit + error + call("t1", "Write", kWrite) + done("t1") + result()).completed);
    const RunEnd api = end_of(
        kInit + claude(R"("type":"result","subtype":"success","is_error":true,"terminal_reason":)"
                       R"("api_error","api_error_status":401,"result":"Please run /login")"));
    CHECK_FALSE(api.completed);
    CHECK(api.cause == Cause::kCredentials);
    const RunEnd failed =
        end_of(kCodex + R"({"type":"turn.failed","error":{"message":"stream disconnected"}})"
                        "\n",
               1);
    CHECK_FALSE(failed.completed);
    CHECK(failed.cause == Cause::kNetwork);
    CHECK_THAT(failed.reason, Catch::EndsWith("exit status 1"));
    const RunEnd gem =
        end_of(kGemini + gemini(R"("type":"error","severity":"error","message":"x")") +
               gemini(R"("type":"result","status":"success")"));
    CHECK_FALSE(gem.completed);
    const RunEnd copilot =
        end_of(R"({"type":"session.error","id":"1","timestamp":"t","parentId":null,"data":)"
               R"({"errorType":"rate_limit","statusCode":429,"message":"too many"}})"
               "\n"
               R"({"type":"result","exitCode":0,"sessionId":"s"})"
               "\n");
    CHECK_FALSE(copilot.completed);
    CHECK(copilot.cause == Cause::kRateLimit);
}

TEST_CASE("run end: pi has no exit status but 0, and its last message says how it ended", "[cli]") {
    CHECK(
        end_of(pi(R"("stopReason":"stop","content":[{"type":"text","text":"Done."}])")).completed);
    const RunEnd error =
        end_of(pi(R"("stopReason":"error","errorMessage":"401 invalid key","content":[])"));
    CHECK_FALSE(error.completed);
    CHECK(error.cause == Cause::kCredentials);
    CHECK_FALSE(end_of(pi(R"("stopReason":"aborted","content":[])")).completed);
    CHECK_FALSE(end_of(pi(R"("stopReason":"length","content":[])")).completed);
    CHECK_FALSE(end_of(pi(R"("stopReason":"of_a_newer_version","content":[])")).completed);
}

TEST_CASE("run end: an agent that its own guard against loops stopped has failed", "[cli]") {
    const std::string outputs[] = {
        kGemini +
            gemini(
                R"("type":"error","severity":"warning","message":"Loop detected, stopping execution")") +
            gemini(R"("type":"result","status":"success")"),
        qwen(R"("subtype":"error_during_execution","is_error":true,"error":{"message":)"
             R"("consecutive_identical_tool_calls"})"),
        cline(R"("type":"run_result","finishReason":"aborted","text":"")") +
            cline(R"("type":"run_aborted","message":"aborted by another client")"),
        kInit + claude(R"("type":"result","subtype":"success","is_error":true,"terminal_reason":)"
                       R"("rapid_refill_breaker","result":"")"),
        kInit + claude(R"("type":"result","subtype":"success","is_error":true,"terminal_reason":)"
                       R"("rapid_refill_breaker","result":"Autocompact is thrashing")")};
    for (const std::string& output : outputs) {
        CAPTURE(output);
        CHECK_FALSE(end_of(output).completed);
        CHECK_THAT(end_of(output).reason, Catch::Contains("stopped itself"));
    }
    // Text of a person or another program is no guard of the agent.
    CHECK(end_of(kGemini +
                 gemini(R"("type":"message","role":"user","content":"why Loop detected?")") +
                 gemini(R"("type":"message","role":"assistant","content":"Loop detected means")") +
                 gemini(R"("type":"result","status":"success")"))
              .completed);
}

TEST_CASE("run end: refused calls and nothing done is no success", "[cli]") {
    const RunEnd nothing = end_of(kInit + call("t1", "Write", kWrite) + refused("t1") +
                                  result(denials("t1", "Write")));
    CHECK_FALSE(nothing.completed);
    CHECK_THAT(nothing.reason, Catch::Contains("nothing was done"));
    CHECK_THAT(nothing.reason, Catch::Contains("Write"));
    // Looking is not doing.
    CHECK_FALSE(end_of(kInit + call("t0", "Read", R"({"file_path":"/w/x"})") + done("t0") +
                       call("t1", "Write", kWrite) + refused("t1") + result(denials("t1", "Write")))
                    .completed);
    // Only the list of the result says it.
    CHECK_FALSE(end_of(kInit + result(denials("t1", "Bash"))).completed);
    // Work, and then something that a person has to allow.
    const RunEnd person = end_of(kInit + call("t0", "Edit", kWrite) + done("t0") +
                                 call("t1", "Bash", R"({"command":"npm publish"})") +
                                 refused("t1") + result(denials("t1", "Bash")));
    CHECK_FALSE(person.completed);
    CHECK_THAT(person.reason, Catch::StartsWith("needs a person"));
    // A way around.
    CHECK(end_of(kInit + call("t1", "Write", kWrite) + refused("t1") + call("t2", "Edit", kWrite) +
                 done("t2") + result(denials("t1", "Write")))
              .completed);
    const std::string declined =
        R"({"type":"item.completed","item":{"id":"i","type":"command_execution","command":"rm x",)"
        R"("status":"declined"}})"
        "\n";
    CHECK_FALSE(end_of(kCodex + declined +
                       R"({"type":"turn.completed","usage":{}})"
                       "\n")
                    .completed);
}

TEST_CASE("run end: a word that is not known is no success", "[cli]") {
    CHECK_FALSE(
        end_of(kInit + claude(R"("type":"result","subtype":"error_max_turns","is_error":false)"))
            .completed);
    const RunEnd newer = end_of(kInit + result(R"(,"terminal_reason":"of_a_newer_version")"));
    CHECK_FALSE(newer.completed);
    CHECK_THAT(newer.reason, Catch::Contains("of_a_newer_version"));
    CHECK_FALSE(end_of(kGemini + gemini(R"("type":"result","status":"partial")")).completed);
    CHECK_FALSE(end_of(cline(R"("type":"run_result","finishReason":"max_iterations","text":"x")"))
                    .completed);
    CHECK_FALSE(end_of(opencode("step_finish",
                                R"("part":{"id":"p","reason":"content-filter","tokens":{}})"))
                    .completed);
}

TEST_CASE("run end: a result that does not say that it went well is no success", "[cli]") {
    const std::string good = R"("subtype":"success","is_error":false)";
    const auto claude_end = [](const std::string& members) {
        return end_of(kInit + claude(R"("type":"result","result":"x",)" + members));
    };
    for (const char* const more : {"", R"(,"stop_reason":null)",
                                   R"(,"terminal_reason":"completed","stop_reason":"end_turn",)"
                                   R"("api_error_status":null)"}) {
        CAPTURE(more);
        CHECK(claude_end(good + more).completed);
    }
    CHECK(end_of(qwen(good + R"(,"result":"x")")).completed);
    for (const std::string odd :
         {R"("is_error":false)", R"("subtype":null,"is_error":false)",
          R"("subtype":5,"is_error":false)", R"("subtype":"success")",
          R"("subtype":"success","is_error":"false")", R"("subtype":"success","is_error":0)",
          R"("subtype":"success","is_error":"true")", R"("subtype":"success","is_error":1)"}) {
        CAPTURE(odd);
        CHECK_FALSE(claude_end(odd).completed);
        CHECK_FALSE(end_of(qwen(odd + R"(,"result":"x")")).completed);
        CHECK_FALSE(end_of(cursor(odd)).completed);
    }
    CHECK(end_of(cursor(good)).completed);
    for (const char* const more :
         {R"("terminal_reason":5)", R"("terminal_reason":null)", R"("terminal_reason":{})",
          R"("stop_reason":"refusal")", R"("stop_reason":"of_a_newer_version")",
          R"("stop_reason":5)", R"("api_error_status":500)", R"("api_error_status":"500")"}) {
        CAPTURE(more);
        CHECK_FALSE(claude_end(good + "," + more).completed);
    }
    CHECK_THAT(claude_end(good + R"(,"stop_reason":"max_tokens")").reason,
               Catch::Contains("cut off"));
    for (const char* const status : {"5", "null", "true", "\"\""})
        CHECK_FALSE(end_of(kGemini + gemini(R"("type":"result","status":)" + std::string{status}))
                        .completed);
}

TEST_CASE("run end: a limit that the operator gave the agent is no other end", "[cli]") {
    const auto claude_end = [](const std::string& subtype) {
        return end_of(kInit +
                      claude(R"("type":"result","subtype":")" + subtype + R"(","is_error":false)"));
    };
    CHECK(claude_end("error_max_turns").limited);
    CHECK(claude_end("error_max_budget_usd").limited);
    CHECK_FALSE(claude_end("error_during_execution").limited);
    for (const char* const kind : {"error_max_turns", "error_max_budget_usd"}) {
        const RunEnd end =
            end_of(kInit + claude(R"("type":"result","is_error":true,"subtype":")" +
                                  std::string{kind} + R"(","errors":["Reached its maximum"])"));
        CHECK(end.limited);
        CHECK_THAT(end.reason, Catch::Contains("Reached its maximum"));
    }
    CHECK(end_of(kGemini, 53).limited);
    CHECK_FALSE(end_of(kGemini, 54).limited);
}

TEST_CASE("run end: a call that waits for a decision needs a person", "[cli]") {
    const RunEnd end = end_of(
        kInit + claude(R"("type":"result","subtype":"success","is_error":false,"result":"",)"
                       R"("stop_reason":"tool_deferred","deferred_tool_use":{"name":"Bash"})"));
    CHECK_FALSE(end.completed);
    CHECK(end.refused);
    CHECK_THAT(end.reason, Catch::Contains("Bash waits for a decision"));
}

TEST_CASE("run end: an agent that said and did nothing has not done its work", "[cli]") {
    CHECK_FALSE(end_of(kInit + result("", "")).completed);
    CHECK_FALSE(end_of(kCodex + R"({"type":"turn.completed","usage":{}})"
                                "\n")
                    .completed);
    CHECK(end_of(kInit + result("", "42")).completed);
}

TEST_CASE("run end: white space, thoughts and placeholders are no answer", "[cli]") {
    const auto said = [](const std::string& part) {
        return claude(R"("type":"assistant","message":{"id":"m","content":[)" + part + "]}");
    };
    const std::string used = R"(,"num_turns":1,"usage":{"input_tokens":9,"output_tokens":7})";
    for (const std::string text : {"", "\\n ", "(no content)"}) {
        const std::string part = R"({"type":"text","text":")" + text + "\"}";
        const std::string thought = R"({"type":"thinking","thinking":"hm"})";
        for (const std::string& message : {std::string{}, said(part), said(thought)}) {
            CAPTURE(text, message);
            const RunEnd end = end_of(kInit + message + result(used, text));
            CHECK_FALSE(end.completed);
            CHECK_THAT(end.reason, Catch::Contains("without an answer or a call"));
        }
    }
    CHECK(end_of(kInit + said(R"({"type":"text","text":"no"})") + result(used, "no")).completed);
}

TEST_CASE("run end: a hook that stopped Claude Code before the first turn is no success", "[cli]") {
    const std::string stop =
        claude(R"("type":"system","subtype":"informational","content":)"
               R"("Operation stopped by hook: x","prevent_continuation":true)");
    const std::string no_turn = R"(,"num_turns":0)";
    const RunEnd end = end_of(kInit + stop + result(no_turn, "Operation stopped by hook: x"));
    CHECK_FALSE(end.completed);
    CHECK_THAT(end.reason, Catch::Contains("Operation stopped by hook: x"));
    CHECK(end_of(kInit + result(no_turn, "Total cost: $0.00")).completed);  // `/cost`
    const std::string compact = claude(R"("type":"system","subtype":"compact_boundary")");
    CHECK(end_of(kInit + compact + result(no_turn, "")).completed);  // `/compact`
    CHECK(end_of(kInit + call("1", "Bash", "{}") + done("1") + stop + result()).completed);
}

TEST_CASE("run end: a hook that stopped Gemini CLI is no success", "[cli]") {
    const std::string use = gemini(
        R"("type":"tool_use","tool_name":"run_shell_command","tool_id":"1","parameters":{})");
    const std::string stop = gemini(
        R"("type":"tool_result","tool_id":"1","status":"error","output":"Agent execution stopped)"
        R"( by hook: x","error":{"type":"stop_execution","message":"x"})");
    const RunEnd end =
        end_of(kGemini + use + stop + gemini(R"("type":"result","status":"success")"));
    CHECK_FALSE(end.completed);
    CHECK_THAT(end.reason, Catch::Contains("Agent execution stopped by hook: x"));
}

TEST_CASE("run end: an agent that has none of its tools has done nothing", "[cli]") {
    const auto step = [](const std::string& id, const std::string& tool, const std::string& end) {
        return gemini(R"("type":"tool_use","tool_name":")" + tool + R"(","tool_id":")" + id +
                      R"(","parameters":{})") +
               gemini(R"("type":"tool_result","tool_id":")" + id + R"(",)" + end);
    };
    const std::string missing =
        R"("status":"error","output":"","error":{"type":"tool_not_registered","message":"no"})";
    const std::string answer =
        gemini(R"("type":"message","role":"assistant","content":"All done.","delta":true)") +
        gemini(R"("type":"result","status":"success")");
    const std::string shell = step("1", "run_shell_command", missing);
    CHECK(end_of(kGemini + shell + answer).completed);  // one wrong name, then words
    const RunEnd end = end_of(kGemini + shell + step("3", "run_shell_command", missing) + answer);
    CHECK_FALSE(end.completed);
    CHECK(end.refused);
    CHECK_THAT(end.reason, Catch::Contains("there is no tool run_shell_command"));
    const std::string read = step("2", "read_file", R"("status":"success","output":"x")");
    CHECK(end_of(kGemini + shell + read + answer).completed);
    CHECK(end_of(kGemini + read + shell + answer).completed);
}

TEST_CASE("run end: exit statuses mean what the agent means by them", "[cli]") {
    const auto gemini_exit = [](int code) {
        return end_of(
            kGemini + gemini(R"("type":"result","status":"error","error":{"type":"unknown",)"
                             R"("message":"[API Error: it failed]"})"),
            code);
    };
    const std::pair<int, Cause> codes[] = {{173, Cause::kRateLimit},   {144, Cause::kRefused},
                                           {145, Cause::kCredentials}, {147, Cause::kCredentials},
                                           {247, Cause::kOverloaded},  {244, Cause::kOverloaded},
                                           {17, Cause::kOverloaded},   {146, Cause::kBilling}};
    for (const auto& [code, cause] : codes) {
        CAPTURE(code);
        const RunEnd end = gemini_exit(code);
        CHECK_FALSE(end.completed);
        CHECK(end.cause == cause);
        CHECK_THAT(end.reason, Catch::Contains("HTTP "));
        CHECK(end.status);
    }
    const RunEnd turns = end_of(kGemini, 53);
    CHECK_THAT(turns.reason, Catch::Contains("limit of turns"));
    CHECK(end_of(kGemini, 41).cause == Cause::kCredentials);
    // The same number is nothing of the kind for another agent.
    CHECK_THAT(end_of(kInit + result(), 173).reason, !Catch::Contains("HTTP"));
    CHECK_FALSE(end_of(kInit + result(), 173).completed);
    ExitStatus killed;
    killed.code = 137;
    killed.signal = 9;
    CHECK_THAT(run_end(told_of(kGemini).facts, killed).reason,
               Catch::Contains("killed by signal 9"));
}

TEST_CASE("run end: of a plan's limit the time of its reset is kept", "[cli]") {
    const std::string limit = claude(
        R"("type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1795747976,)"
        R"("rateLimitType":"five_hour"})");
    const std::string error = claude(
        R"("type":"assistant","error":"rate_limit","message":{"content":[{"type":"text","text":)"
        R"("You've hit your 5-hour limit"}]})");
    const std::string last =
        claude(R"("type":"result","subtype":"success","is_error":true,"terminal_reason":)"
               R"("api_error","api_error_status":429,"result":"You've hit your 5-hour limit")");
    const RunEnd end = end_of(kInit + limit + error + last, 1);
    CHECK(end.cause == Cause::kUsageLimit);
    CHECK(end.retry_at == "2026-11-27T02:52:56.000Z");
    CHECK_THAT(end.reason, Catch::Contains("the usage limit is reached"));
    // The line of the limit alone, and then silence.
    CHECK(end_of(kInit + limit).retry_at == end.retry_at);
    CHECK(end_of(kInit + limit).cause == Cause::kUsageLimit);
}
