// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "api/hooks/dialect.hpp"
#include "api/hooks/report.hpp"
#include "api/hooks/texts/background.hpp"
#include "api/hooks/texts/errors.hpp"
#include "api/hooks/texts/refusals.hpp"
#include "tests/unit/api/hooks/fixtures.hpp"

// The moments that matter: refusals, errors that end a turn, waits for a person, work in the
// background, wake-ups, interrupts and tokens, as the newest agents tell them.

using namespace headway;
using namespace headway::api;
using namespace headway::api::hooks;
using namespace headway::tests;

namespace {

/// A hook in an agent's own JSON, and what it reports.
struct Moment {
    Moment(std::string_view agent, const std::string& members, const HookFacts& facts = {}) {
        const std::string body = R"({"session_id":"s","session":"s",)" + members + "}";
        require_ok(document.parse(body));
        hook = find_dialect(agent)->parse(document.root(), facts);
        auto reported = take_report(document, hook);
        require_ok(reported);
        report = *std::move(reported);
    }

    template <class P>
    const P* first() const {
        for (const core::Event& event : report.decoded.events)
            if (const auto* found = std::get_if<P>(&event.payload)) return found;
        return nullptr;
    }

    JsonDocument document;
    Hook hook;
    HookReport report;
};

Moment claude(const std::string& event, const std::string& members = R"("cwd":"/w")") {
    return Moment{"claude", R"("hook_event_name":")" + event + "\"," + members};
}

Moment claude_batch(const std::string& response) {
    return claude("PostToolBatch", R"("tool_calls":[{"tool_name":"Write","tool_use_id":"u",)"
                                   R"("tool_input":{"file_path":"/w/a","content":"x"},)"
                                   R"("tool_response":")" +
                                       response + "\"}]");
}

core::Timestamp at_seconds(std::int64_t seconds) {
    return core::Timestamp{std::chrono::seconds{seconds}};
}

}  // namespace

TEST_CASE("hook moments: a call in a batch that nothing tells of is no success", "[api][hooks]") {
    const Moment unknown = claude_batch("A phrase of tomorrow: not today.");
    CHECK(unknown.report.untold == std::vector<std::size_t>{0});
    const auto* finished = unknown.first<core::ToolFinished>();
    REQUIRE(finished != nullptr);
    CHECK_FALSE(finished->ok);
    REQUIRE(finished->error.has_value());
    CHECK(finished->error->error_class == "denied");
    CHECK(finished->error->message.kept == "A phrase of tomorrow: not today.");
    CHECK(finished->mutated.empty());
}

TEST_CASE("hook moments: a receipt of background work is the same answer each time",
          "[api][hooks]") {
    const auto answer = [](const std::string& tool, const std::string& response) {
        const Moment moment = claude("PostToolUse", R"("tool_name":")" + tool +
                                                        R"(","tool_use_id":"u","tool_input":{},)"
                                                        R"("tool_response":)" +
                                                        response);
        const auto* finished = moment.first<core::ToolFinished>();
        REQUIRE(finished != nullptr);
        CHECK(finished->ok);
        return finished->result.kept;
    };
    const std::string one = answer(
        "Agent", R"({"status":"async_launched","agentId":"a1","outputFile":"/t/a1.output"})");
    const std::string other = answer(
        "Agent", R"({"status":"async_launched","agentId":"b2","outputFile":"/t/b2.output"})");
    CHECK(one == other);
    CHECK(answer("Bash", R"({"stdout":"","stderr":"","backgroundTaskId":"b1"})") ==
          answer("Bash", R"({"stdout":"","stderr":"","backgroundTaskId":"b2"})"));
    // Its other texts are answers.
    CHECK(answer("Bash", R"({"stdout":"x","stderr":"","backgroundTaskId":"b1"})") !=
          answer("Bash", R"({"stdout":"y","stderr":"","backgroundTaskId":"b1"})"));
    CHECK(answer("Agent", R"({"status":"completed","agentId":"a1"})") !=
          answer("Agent", R"({"status":"completed","agentId":"b2"})"));
}

TEST_CASE("hook moments: phrases of refusal are known, and failures stay failures",
          "[api][hooks]") {
    for (const char* words : {
             "Permission to use Bash with command git push --force has been denied.",
             "Permission to use Write denied by plugin guard",
             "Permission for this tool use was denied: it requires interactive approval",
             "Claude requested permissions to write to /w/a, but you haven't granted it yet.",
             "This command requires approval",
             "Permission rule 'Bash(rm:*)' from user settings requires approval for this Bash",
             "This Bash command contains multiple operations that require approval",
             "Write did not run. It needs the user's approval, and the user was not asked",
             "This Bash call was NOT run. Auto mode checks each piece of code",
             "The user doesn't want to take this action right now. STOP",
             "<tool_use_error>File is in a directory that is denied by your permission settings."
             "</tool_use_error>",
         }) {
        INFO(words);
        const Moment refused = claude_batch(words);
        CHECK(refused.hook.calls.empty());  // they are in the report
        CHECK(refused.report.untold.empty());
        CHECK(refused.first<core::ToolFinished>()->error->error_class == "denied");
    }
    const Moment failed = claude_batch("Exit code 2\\nno such file");
    CHECK(failed.report.untold.empty());
    CHECK(failed.first<core::ToolFinished>()->error->error_class.empty());
    const Moment cut = claude_batch("[Tool call interrupted: the outcome is unknown]");
    CHECK(cut.first<core::ToolFinished>()->error->error_class == "cancelled");
    const Moment wrong = claude_batch("<tool_use_error>InputValidationError: no</tool_use_error>");
    CHECK(wrong.first<core::ToolFinished>()->error->error_class == "json_parse");
}

TEST_CASE("hook moments: each agent's own words of refusal", "[api][hooks]") {
    CHECK(says_refused(Refusing::kOfCodex, "exec command rejected by user"));
    CHECK(says_refused(Refusing::kOfCopilot, "Permission denied and could not request permission"));
    CHECK(says_refused(Refusing::kOfCline, "The user denied this operation."));
    CHECK(says_refused(Refusing::kOfGemini, "Tool execution denied by policy. No."));
    CHECK(says_refused(Refusing::kOfQwen, R"(Qwen Code requires permission to use "edit", but)"));
    for (const auto agent : {Refusing::kOfClaude, Refusing::kOfCodex, Refusing::kOfCopilot,
                             Refusing::kOfCline, Refusing::kOfGemini, Refusing::kOfQwen}) {
        CHECK_FALSE(says_refused(agent, ""));
        CHECK_FALSE(says_refused(agent, "cat: /root/x: Permission denied"));
        CHECK_FALSE(says_refused(agent, "2 tests failed"));
    }
    // Text that comes late is the output of a tool.
    CHECK_FALSE(says_refused(Refusing::kOfClaude,
                             std::string(kRefusalBytesRead, 'x') + " needs approval. "));

    const Moment denied =
        claude("PermissionDenied", R"("tool_name":"Bash","tool_use_id":"u","tool_input":{},)"
                                   R"("reason":"auto mode blocked it")");
    CHECK(denied.hook.kind == HookKind::kPost);
    CHECK(denied.first<core::ToolFinished>()->error->error_class == "denied");
    const Moment rejected{"copilot",
                          R"("hook_event_name":"PostToolUse","tool_name":"bash","tool_input":{},)"
                          R"("tool_result":{"result_type":"rejected","text_result_for_llm":"no"})"};
    CHECK(rejected.first<core::ToolFinished>()->error->error_class == "denied");
    const Moment codex{"codex",
                       R"("hook_event_name":"PostToolUse","tool_name":"mcp__x__y","tool_use_id":)"
                       R"("c","tool_input":{},"tool_response":"user rejected MCP tool call")"};
    CHECK(codex.first<core::ToolFinished>()->error->error_class == "denied");
    const Moment policy{"gemini",
                        R"("hook_event_name":"AfterTool","tool_name":"x","tool_input":{},)"
                        R"("tool_response":{"error":{"type":"policy_violation","message":"no"}})"};
    CHECK(policy.first<core::ToolFinished>()->error->error_class == "denied");
}

TEST_CASE("hook moments: qwen says itself how a call of a batch ended", "[api][hooks]") {
    const auto batch = [](const std::string& call) {
        return Moment{"qwen", R"("hook_event_name":"PostToolBatch","tool_calls":[{"tool_name":)"
                              R"("edit","tool_call_id":"c","tool_input":{},)" +
                                  call + "}]"};
    };
    CHECK(batch(R"("status":"success","tool_response":{"result_display":"ok"})")
              .first<core::ToolFinished>()
              ->ok);
    const Moment silent = batch(R"("tool_response":"who knows")");
    CHECK(silent.report.untold.size() == 1);
    CHECK_FALSE(silent.first<core::ToolFinished>()->ok);
    CHECK(batch(R"("status":"cancelled","tool_response":{"error":"stopped"})")
              .first<core::ToolFinished>()
              ->error->error_class == "cancelled");
    CHECK(batch(R"("status":"error","tool_response":{"execution_status":"not_started",)"
                R"("error":"Plan mode blocked a non-read-only tool call."})")
              .first<core::ToolFinished>()
              ->error->error_class == "denied");
}

TEST_CASE("hook moments: an error that ended a turn has class, status and reset", "[api][hooks]") {
    HookFacts facts;
    facts.retry_at = at_seconds(1'795'734'000);
    facts.error_class = "usage_limit_reached";
    const Moment limit{"claude",
                       R"("hook_event_name":"StopFailure","error":"rate_limit",)"
                       R"("last_assistant_message":"You've hit your session limit")",
                       facts};
    const auto* error = limit.first<core::ErrorReported>();
    REQUIRE(error != nullptr);
    CHECK(error->ends_turn);
    CHECK(error->error_class == "usage_limit_reached");
    CHECK(error->retry_at == facts.retry_at);

    const Moment busy = claude("StopFailure", R"("error":"server_error",)"
                                              R"("last_assistant_message":"API Error: 529 {}")");
    CHECK(busy.first<core::ErrorReported>()->status == 529U);
    const Moment details = claude("StopFailure", R"("error":"unknown","error_details":"odd")");
    CHECK(details.first<core::ErrorReported>()->message.kept == "odd");

    facts.error_class = "http_connection_failed";
    facts.error_status = 401;
    const Moment codex{"codex", R"("hook_event_name":"SessionEnd","reason":"other")", facts};
    CHECK(codex.hook.kind == HookKind::kEnd);
    REQUIRE(codex.first<core::ErrorReported>() != nullptr);
    CHECK(codex.first<core::ErrorReported>()->status == 401U);
    const Moment quiet{"codex", R"("hook_event_name":"SessionEnd","reason":"other")"};
    CHECK(quiet.first<core::ErrorReported>() == nullptr);
}

TEST_CASE("hook moments: a try that is made again ends no turn", "[api][hooks]") {
    const Moment retried{"copilot",
                         R"("hook_event_name":"ErrorOccurred","error":{"name":"RateLimitError",)"
                         R"("message":"429 slow down"},"error_context":"model_call",)"
                         R"("recoverable":true)"};
    const auto* error = retried.first<core::ErrorReported>();
    REQUIRE(error != nullptr);
    CHECK_FALSE(error->ends_turn);
    CHECK(error->error_class == "RateLimitError");
    CHECK(error->status == 429U);
    CHECK(error->retryable == true);
    const Moment over{"copilot", R"("error":"bad key","errorContext":"model_call",)"
                                 R"("recoverable":false,"sessionId":"s")"};
    CHECK(over.first<core::ErrorReported>()->ends_turn);
    const Moment ended{"copilot", R"("hook_event_name":"SessionEnd","reason":"error",)"
                                  R"("error":"402 Payment Required")"};
    CHECK(ended.first<core::ErrorReported>()->status == 402U);
    const Moment waits{"generic", R"("event":"error","class":"retry","text":"Rate limit",)"
                                  R"("ends_turn":false,"retry_at":1795734000123)"};
    CHECK_FALSE(waits.first<core::ErrorReported>()->ends_turn);
    CHECK(waits.first<core::ErrorReported>()->retry_at ==
          at_seconds(1'795'734'000) + core::Millis{123});
}

TEST_CASE("hook moments: the generic form takes every shape of a reset", "[api][hooks]") {
    const auto reset = [](const std::string& members) {
        return Moment{"generic", R"("event":"error","text":"no",)" + members}.hook;
    };
    CHECK(reset(R"("retry_at":"2026-11-27T03:10:00Z")").retry_at == at_seconds(1'795'749'000));
    CHECK(reset(R"("retry_at":1795749000)").retry_at == at_seconds(1'795'749'000));
    CHECK(reset(R"("retry_after":4.2)").retry_after_ms == 4'200U);
    CHECK(reset(R"("headers":{"retry-after":"35181"})").retry_after_ms == 35'181'000U);
    CHECK(reset(R"("details":[{"retryDelay":"34.5s"}])").retry_after_ms == 34'500U);
    CHECK(reset(R"("error":{"resets_at":1795749000,"resets_in_seconds":60})").retry_at ==
          at_seconds(1'795'749'000));
    CHECK(reset(R"("details":[{"metadata":{"quotaResetTimeStamp":"2026-11-27T03:10:00Z"}}])")
              .retry_at == at_seconds(1'795'749'000));
    // No time: words, nothing, the past of the epoch.
    CHECK(reset(R"("retry_at":"3pm, Berlin")").retry_at == core::kNever);
    CHECK(reset(R"("retry_at":0)").retry_at == core::kNever);
    CHECK_FALSE(reset(R"("retry_after":"Wed, 21 Oct 2026")").retry_after_ms.has_value());
    CHECK(reset(R"("status":402)").status == 402U);
    CHECK(reset(R"("status":200)").status == std::nullopt);
}

TEST_CASE("hook moments: a person's abort is no error", "[api][hooks]") {
    for (const char* name : {"MessageAbortedError", "AbortError"}) {
        const Moment abort{"generic", R"("event":"error","class":")" + std::string{name} + "\""};
        CHECK(abort.hook.kind == HookKind::kInterrupt);
        CHECK(abort.first<core::ErrorReported>() == nullptr);
        CHECK(abort.first<core::StateChanged>()->state == core::AgentState::kIdle);
    }
    const Moment codex{"codex", R"("hook_event_name":"Interrupt","turn_id":"t")"};
    CHECK(codex.hook.kind == HookKind::kInterrupt);
    CHECK(codex.first<core::StateChanged>()->detail == "interrupted");
}

TEST_CASE("hook moments: notifications that wait, that end a wait, and that do neither",
          "[api][hooks]") {
    const auto kind = [](const std::string& type) {
        return claude("Notification", R"("message":"words","notification_type":")" + type + "\"")
            .hook.kind;
    };
    for (const char* type :
         {"permission_prompt", "worker_permission_prompt", "agent_needs_input",
          "elicitation_dialog", "elicitation_url_dialog", "quota_auto_resume_stale"})
        CHECK(kind(type) == HookKind::kAsks);
    for (const char* type : {"elicitation_complete", "elicitation_response"})
        CHECK(kind(type) == HookKind::kAnswered);
    CHECK(kind("idle_prompt") == HookKind::kIdle);
    for (const char* type :
         {"auth_success", "agent_completed", "push_notification", "computer_use_enter",
          "computer_use_exit", "quota_auto_resume_fired", "quota_auto_resume_disabled",
          "model_refusal_fallback", "auth_storage_failure", "plugin_notification", "of_tomorrow"})
        CHECK(kind(type) == HookKind::kNote);
    const Moment note =
        claude("Notification", R"("message":"look","notification_type":"of_tomorrow")");
    REQUIRE(note.first<core::Heartbeat>() != nullptr);
    CHECK(note.first<core::Heartbeat>()->note == "of_tomorrow: look");
    const Moment asked =
        claude("Notification", R"("message":"look","notification_type":"agent_needs_input")");
    CHECK(asked.first<core::StateChanged>()->state == core::AgentState::kAwaitingPermission);
    CHECK(asked.first<core::StateChanged>()->detail == "look");
}

TEST_CASE("hook moments: a server asks through the agent, and is answered", "[api][hooks]") {
    const Moment asked = claude("Elicitation", R"("mcp_server_name":"booking","message":"Day?")");
    CHECK(asked.first<core::StateChanged>()->state == core::AgentState::kAwaitingPermission);
    CHECK(asked.first<core::StateChanged>()->detail == "booking: Day?");
    const Moment moment =
        claude("ElicitationResult", R"("mcp_server_name":"booking","action":"decline")");
    CHECK(moment.first<core::StateChanged>()->state == core::AgentState::kExecutingTool);
    CHECK(Moment("generic", R"("event":"answered")").hook.kind == HookKind::kAnswered);
}

TEST_CASE("hook moments: a hook before the agent's own rules proves no question", "[api][hooks]") {
    const std::string call = R"("hook_event_name":"permissionRequest","tool_name":"bash",)"
                             R"("tool_input":{"command":"make"})";
    const Moment copilot{"copilot", call};
    CHECK(copilot.hook.kind == HookKind::kPermission);
    CHECK(copilot.first<core::StateChanged>() == nullptr);
    const Moment real{"copilot", R"("hook_event_name":"Notification","notification_type":)"
                                 R"("permission_prompt","message":"Run it?")"};
    CHECK(real.first<core::StateChanged>()->state == core::AgentState::kAwaitingPermission);
    const Moment codex{"codex", R"("hook_event_name":"PermissionRequest","tool_name":"Bash",)"
                                R"("tool_input":{"command":"make"})"};
    CHECK(codex.first<core::StateChanged>()->state == core::AgentState::kAwaitingPermission);
}

TEST_CASE("hook moments: a stop names what goes on", "[api][hooks]") {
    const Moment stop = claude(
        "Stop",
        R"("background_tasks":[{"id":"1","type":"shell","status":"running","command":"npm run dev"},)"
        R"({"id":"2","type":"subagent","status":"pending","description":"research"},)"
        R"({"id":"3","type":"monitor","status":"running","tool":"watch","server":"ci"},)"
        R"({"id":"4","type":"workflow","status":"running","name":"nightly"},)"
        R"({"id":"5","type":"shell","status":"completed","command":"make"}],)"
        R"("session_crons":[{"id":"6","schedule":"*/10 * * * *","recurring":true,"prompt":"look"},)"
        R"({"id":"7","schedule":"5 14 27 11 *","recurring":false,"prompt":"wake"}])");
    CHECK(stop.first<core::StateChanged>()->background ==
          std::vector<std::string>{"shell: npm run dev", "agent: research", "monitor: watch",
                                   "workflow: nightly", "cron: */10 * * * *",
                                   "wake-up: 5 14 27 11 *"});
    CHECK(stop.hook.wake_prompts == std::vector<std::string>{"look", "wake"});

    const Moment empty = claude("Stop", R"("background_tasks":[],"session_crons":[])");
    CHECK(empty.first<core::StateChanged>()->state == core::AgentState::kIdle);
    CHECK(empty.first<core::StateChanged>()->background.empty());

    const Moment qwen{"qwen", R"("hook_event_name":"Stop","background_tasks":[{"id":"a","status":)"
                              R"("running","agent_type":"general","description":"tests"}],)"
                              R"("crons":[{"id":"b","schedule":"0 9 * * *","prompt":"go"}])"};
    CHECK(qwen.first<core::StateChanged>()->background ==
          std::vector<std::string>{"agent: tests", "cron: 0 9 * * *"});
    const auto generic = [](const char* background) {
        return Moment{"generic", R"("event":"stop","background":)" + std::string{background}}
            .first<core::StateChanged>()
            ->background;
    };
    CHECK(generic(R"(["shell: make"])") == std::vector<std::string>{"shell: make"});
    CHECK(generic("2").size() == 2);
    CHECK(generic("true").size() == 1);
    CHECK(generic("false").empty());
}

TEST_CASE("hook moments: prompts that no person wrote are wake-ups", "[api][hooks]") {
    const auto prompt = [](const std::string& text, const std::string& source) {
        return claude("UserPromptSubmit",
                      R"("prompt":")" + text + "\"" +
                          (source.empty() ? "" : R"(,"source":")" + source + "\""));
    };
    const auto wakes = [&](const std::string& text, const std::string& source = {}) {
        const Moment moment = prompt(text, source);
        const auto* message = moment.first<core::Message>();
        return message->role == "system" && message->wake_up;
    };
    CHECK(wakes("<task-notification>done</task-notification>"));
    CHECK(wakes("Your claude.ai usage limit has reset. Continue the task you were working on"));
    CHECK(wakes("Stop hook feedback: run the tests"));
    for (const char* source : {"system", "loop_wakeup", "schedule_wakeup", "poll_event"})
        CHECK(wakes("look at the build", source));
    CHECK_FALSE(wakes("look at the build", "user"));
    CHECK_FALSE(wakes("look at the build", "sdk"));
    CHECK_FALSE(wakes("look at the build"));
    CHECK(prompt("go", "user").hook.typed);
    CHECK(Moment("generic", R"("event":"prompt","text":"go","wake_up":true)").hook.synthetic);
    // By its parent: no person, and no timer.
    const Moment sub = claude("UserPromptSubmit", R"("prompt":"find it","agent_id":"a1")");
    CHECK(sub.first<core::Message>()->role == "system");
    CHECK_FALSE(sub.first<core::Message>()->wake_up);
}

TEST_CASE("hook moments: the parts of what was used do not overlap", "[api][hooks]") {
    const Moment opencode{
        "generic",
        R"("event":"usage","usage":{"input_tokens":10,"cached_tokens":1000,)"
        R"("cache_write_tokens":20000,"output_tokens":20,"reasoning_tokens":500,"model":"m","cost":0.5})"};
    const auto& usage = opencode.first<core::Heartbeat>()->usage;
    REQUIRE(usage.has_value());
    CHECK(usage->input_tokens == 10);
    CHECK(usage->cached_tokens == 1000);
    CHECK(usage->cache_write_tokens == 20000);
    CHECK(usage->output_tokens == 20);
    CHECK(usage->reasoning_tokens == 500);
    CHECK(usage->model == "m");
    CHECK(usage->cost_usd == 0.5);
    const Moment unpriced{"generic", R"("event":"usage","usage":{"input_tokens":10})"};
    CHECK_FALSE(unpriced.first<core::Heartbeat>()->usage->cost_usd.has_value());
    const Moment free{"generic", R"("event":"usage","usage":{"input_tokens":10,"cost_usd":0})"};
    CHECK(free.first<core::Heartbeat>()->usage->cost_usd == 0.0);
    const Moment gemini{"gemini",
                        R"("hook_event_name":"AfterModel","llm_response":{"candidates":[{)"
                        R"("finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1010,)"
                        R"("cachedContentTokenCount":1000,"candidatesTokenCount":20,)"
                        R"("thoughtsTokenCount":500}})"};
    CHECK(gemini.hook.usage->input_tokens == 10);
    CHECK(gemini.hook.usage->cached_tokens == 1000);
    CHECK(gemini.hook.usage->output_tokens == 20);
    CHECK(gemini.hook.usage->reasoning_tokens == 500);
}

TEST_CASE("hook moments: cline's errors and aborts", "[api][hooks]") {
    const Moment failed{"cline", R"("hookName":"agent_error","taskId":"t","error":{"message":)"
                                 R"("429 too many","status":429,"code":"rate_limit"})"};
    const auto* error = failed.first<core::ErrorReported>();
    REQUIRE(error != nullptr);
    CHECK(error->ends_turn);
    CHECK(error->status == 429U);
    CHECK(error->error_class == "rate_limit");
    const Moment aborted{"cline", R"("hookName":"agent_end","taskId":"t","turn":{"status":)"
                                  R"("aborted","outputText":"half"})"};
    CHECK(aborted.hook.kind == HookKind::kInterrupt);
    const Moment refused{"cline", R"("hookName":"agent_abort","taskId":"t","reason":)"
                                  R"("400 no tool for team_cancel_run")"};
    REQUIRE(refused.first<core::ErrorReported>() != nullptr);
    CHECK(refused.first<core::ErrorReported>()->status == 400U);
    const Moment person{"cline",
                        R"("hookName":"agent_abort","taskId":"t","reason":"user cancelled")"};
    CHECK(person.hook.kind == HookKind::kInterrupt);
}
