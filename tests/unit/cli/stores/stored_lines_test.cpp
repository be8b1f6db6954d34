// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/stores/stored_events.hpp"
#include "cli/stores/stored_line.hpp"

using namespace headway::cli;
using headway::core::ErrorReported;
using headway::core::Event;
using headway::core::Message;
using headway::core::ToolFinished;

namespace {

/// The lines of one stored session, read as they come.
class Read {
public:
    explicit Read(const StoreFormat& format) : reader_(format.make()) {}

    Read& line(const std::string& json) {
        headway::api::JsonDocument document;
        REQUIRE(document.parse(json).has_value());
        StoredLine stored;
        reader_->take(document.root(), stored);
        cut = stored.turn_ended && stored.turn_cut;
        for (Event& event : stored.events)
            events.push_back(std::move(event));
        if (stored.use) uses.push_back(*stored.use);
        return *this;
    }

    const StoredAbout& about() const { return reader_->about(); }
    std::size_t open() const { return reader_->open_calls(); }
    const ToolFinished& call(std::size_t at) const {
        return std::get<ToolFinished>(events.at(at).payload);
    }

    std::vector<Event> events;
    std::vector<StoredUse> uses;
    bool cut = false;  ///< the last line ends a turn that was cut short

private:
    std::unique_ptr<StoreReader> reader_;
};

std::string claude(const std::string& type, const std::string& more) {
    return R"({"sessionId":"s1","cwd":"/home/dev/code","version":"2.1.300","type":")" + type +
           R"(","timestamp":"2026-11-26T23:11:47.000Z",)" + more + "}";
}

std::string answer(const std::string& id, const std::string& part) {
    return claude("assistant",
                  R"("message":{"id":")" + id + R"(","model":"claude-sonnet-4-5","content":[)" +
                      part +
                      R"(],"usage":{"input_tokens":10,"cache_creation_input_tokens":3,)"
                      R"("cache_read_input_tokens":200,"output_tokens":5}})");
}

std::string result(const std::string& id, bool error, const std::string& text) {
    return claude("user", R"("message":{"content":[{"type":"tool_result","tool_use_id":")" + id +
                              R"(","is_error":)" + (error ? "true" : "false") + R"(,"content":")" +
                              text + R"("}]})");
}

const std::string kBash =
    R"({"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}})";

std::string codex(const std::string& type, const std::string& payload) {
    return R"({"timestamp":"2026-11-26T23:00:20.000Z","type":")" + type + R"(","payload":)" +
           payload + "}";
}

const std::string kMeta = codex(
    "session_meta",
    R"({"id":"c1","cwd":"/w","cli_version":"0.171.0","timestamp":"2026-11-26T23:00:19.000Z"})");

std::string tokens(int input, int cached, int output) {
    return codex("event_msg", R"({"type":"token_count","info":{"total_token_usage":{)"
                              R"("input_tokens":)" +
                                  std::to_string(input) + R"(,"cached_input_tokens":)" +
                                  std::to_string(cached) + R"(,"output_tokens":)" +
                                  std::to_string(output) + "}}}");
}

}  // namespace

TEST_CASE("stored Claude session: a call and its result are one finished call", "[cli]") {
    Read read(kClaudeStore);
    read.line(claude("user", R"("message":{"content":"Fix it"})"));
    read.line(answer("m1", kBash));
    CHECK(read.open() == 1);
    read.line(result("t1", true, "Exit code 1\\nno rule"));
    CHECK(read.open() == 0);
    REQUIRE(read.events.size() == 2);
    CHECK(std::get<Message>(read.events[0].payload).role == "user");
    CHECK(read.call(1).tool == "Bash");
    CHECK_FALSE(read.call(1).ok);
    CHECK(read.call(1).args.kept == R"({"command":"make"})");
    CHECK(read.about().id == "s1");
    CHECK(read.about().project == "/home/dev/code");
    CHECK(read.about().model == "claude-sonnet-4-5");
    CHECK(read.about().goal == "Fix it");
}

TEST_CASE("stored Claude session: the use of an answer keeps what came from a cache apart",
          "[cli]") {
    Read read(kClaudeStore);
    read.line(answer("m1", R"({"type":"text","text":"I look."})"));
    REQUIRE(read.uses.size() == 1);
    CHECK(read.uses[0].answer == "m1");
    CHECK(read.uses[0].tokens == LineTokens{10, 200, 3, 5, 0});
}

TEST_CASE("stored Claude session: words of the agent itself are no person's", "[cli]") {
    Read read(kClaudeStore);
    for (const char* text : {"<task-notification>done", "<command-name>/clear</command-name>"})
        read.line(claude("user", R"("message":{"content":")" + std::string(text) + "\"}"));
    read.line(claude("user", R"("isMeta":true,"message":{"content":"Caveat"})"));
    read.line(claude("user", R"("isCompactSummary":true,"message":{"content":"So far"})"));
    CHECK(read.events.empty());
    CHECK(read.about().goal.empty());
}

TEST_CASE("stored Claude session: a refused call and one that was cut off are no successes",
          "[cli]") {
    Read read(kClaudeStore);
    read.line(answer("m1", kBash));
    read.line(result("t1", false, "[Tool call interrupted: its outcome is unknown]"));
    read.line(result("t2", true, "Claude requested permissions to use Bash"));
    REQUIRE(read.events.size() == 2);
    CHECK_FALSE(read.call(0).ok);
    CHECK(read.call(0).error->error_class == "cancelled");
    CHECK(read.call(1).error->error_class == "denied");
}

TEST_CASE("stored Claude session: an error in the place of an answer ends the turn", "[cli]") {
    Read read(kClaudeStore);
    read.line(claude("assistant",
                     R"("isApiErrorMessage":true,"error":"rate_limit","apiErrorStatus":429,)"
                     R"("apiError":"usage_limit_reached","message":{"model":"<synthetic>",)"
                     R"("content":[{"type":"text","text":"You've hit your limit"}]})"));
    REQUIRE(read.events.size() == 1);
    const auto& error = std::get<ErrorReported>(read.events[0].payload);
    CHECK(error.error_class == "usage_limit");
    CHECK(error.status == 429);
    CHECK(error.ends_turn);
    CHECK(read.uses.empty());
}

TEST_CASE("stored Claude session: a sub-agent has an id of its own and its parent's", "[cli]") {
    Read read(kClaudeStore);
    read.line(claude("user", R"("agentId":"a7","isSidechain":true,"message":{"content":"Go"})"));
    CHECK(read.about().id == "a7");
    CHECK(read.about().parent == "s1");
}

TEST_CASE("stored Claude session: prompts and attachments are skipped unread", "[cli]") {
    CHECK_FALSE(kClaudeStore.matters(R"({"type":"api-request-blob","data":"x"})"));
    CHECK_FALSE(kClaudeStore.matters(R"({"parentUuid":null,"attachment":{"type":"model"}})"));
    CHECK(kClaudeStore.matters(R"({"type":"user","message":{}})"));
    CHECK(kClaudeStore.matters(R"({"parentUuid":"x","type":"assistant"})"));
}

TEST_CASE("stored Codex session: the exit status of a command decides about its call", "[cli]") {
    Read read(kCodexStore);
    read.line(kMeta);
    const std::string call = R"({"type":"function_call","name":"exec_command",)"
                             R"("arguments":"{\"cmd\":\"cat a\"}","call_id":"k1"})";
    read.line(codex("response_item", call));
    read.line(codex("event_msg", R"({"type":"item_completed","item":{"type":"CommandExecution",)"
                                 R"("id":"k1","exit_code":1}})"));
    read.line(codex("response_item", R"({"type":"function_call_output","call_id":"k1",)"
                                     R"("output":"Chunk ID: 1f\nWall time: 0.1\nOutput:\nno a"})"));
    read.line(codex("response_item", call));
    read.line(codex("response_item",
                    R"({"type":"function_call_output","call_id":"k1","output":)"
                    R"("Chunk ID: 2e\nProcess exited with code 0\nOutput:\nhere"})"));
    REQUIRE(read.events.size() == 2);
    CHECK_FALSE(read.call(0).ok);
    CHECK(read.call(0).error->message.kept == "no a");
    CHECK(read.call(1).ok);
    CHECK(read.call(1).result.kept == "\"here\"");
}

TEST_CASE("stored Codex session: totals are told as what was used since", "[cli]") {
    Read read(kCodexStore);
    read.line(kMeta).line(tokens(1000, 400, 20)).line(tokens(1000, 400, 20));
    read.line(tokens(2500, 900, 50));
    REQUIRE(read.uses.size() == 2);
    CHECK(read.uses[0].tokens == LineTokens{600, 400, 0, 20, 0});
    CHECK(read.uses[1].tokens == LineTokens{1000, 500, 0, 30, 0});
}

TEST_CASE("stored Codex session: a fork leaves out the history of its parent", "[cli]") {
    Read read(kCodexStore);
    read.line(codex("session_meta",
                    R"({"id":"c2","forked_from_id":"c1","timestamp":"2026-11-26T23:00:19.000Z"})"));
    read.line(kMeta);  // of the parent, with its history
    read.line(codex("event_msg", R"({"type":"task_started","started_at":1795730000})"));
    read.line(codex("response_item", R"({"type":"message","role":"user","content":[)"
                                     R"({"type":"input_text","text":"old"}]})"));
    read.line(tokens(5000, 0, 100));
    read.line(codex("event_msg", R"({"type":"task_started","started_at":1795734019})"));
    read.line(codex("response_item", R"({"type":"message","role":"user","content":[)"
                                     R"({"type":"input_text","text":"new"}]})"));
    read.line(tokens(6000, 0, 150));
    CHECK(read.about().id == "c2");
    CHECK(read.about().parent == "c1");
    REQUIRE(read.events.size() == 1);
    CHECK(std::get<Message>(read.events[0].payload).text.kept == "new");
    REQUIRE(read.uses.size() == 1);
    CHECK(read.uses[0].tokens == LineTokens{1000, 0, 0, 50, 0});
}

TEST_CASE("stored Codex session: the id of a turn without a time shows whose it is", "[cli]") {
    Read read(kCodexStore);
    read.line(codex("session_meta",
                    R"({"id":"c2","forked_from_id":"c1","timestamp":"2026-11-26T23:00:19.000Z"})"));
    read.line(kMeta);
    read.line(codex("event_msg",
                    R"({"type":"task_started","turn_id":"01a219d9-4880-7000-8000-000000000000"})"));
    read.line(tokens(5000, 0, 100));
    read.line(codex("event_msg",
                    R"({"type":"task_started","turn_id":"01a21a16-9bb8-7000-8000-000000000000"})"));
    read.line(tokens(6000, 0, 150));
    REQUIRE(read.uses.size() == 1);
    CHECK(read.uses[0].tokens == LineTokens{1000, 0, 0, 50, 0});
}

TEST_CASE("stored Codex session: the error of a turn keeps its type", "[cli]") {
    Read read(kCodexStore);
    read.line(kMeta);
    read.line(codex("event_msg", R"({"type":"task_complete","error":{"message":"limit",)"
                                 R"("codex_error_info":"usage_limit_exceeded"}})"));
    REQUIRE(read.events.size() == 1);
    CHECK(std::get<ErrorReported>(read.events[0].payload).error_class == "usage_limit_exceeded");
}

TEST_CASE("a stored session is known by its first lines, anything else is not", "[cli]") {
    headway::api::JsonDocument document;
    CHECK(store_format_of(claude("user", R"("message":{})") + "\n", document) == &kClaudeStore);
    CHECK(store_format_of(kMeta + "\n", document) == &kCodexStore);
    CHECK(store_format_of("{\"type\":\"session_start\"}\n[1]\nno json\n", document) == nullptr);
    CHECK(store_format_of("", document) == nullptr);
}

TEST_CASE("calls without a result are bounded", "[cli]") {
    StoredCalls calls;
    for (std::size_t i = 0; i < StoredCalls::kMax + 10; ++i)
        calls.start("id" + std::to_string(i), {});
    CHECK(calls.size() == StoredCalls::kMax);
    CHECK(calls.finish("none").tool.empty());
}

TEST_CASE("stored pi session: calls, failures and tries that failed", "[cli]") {
    Read read(kPiStore);
    read.line(R"({"type":"session","version":3,"id":"p1","cwd":"/w"})");
    read.line(R"({"type":"message","id":"a","message":{"role":"assistant","model":"m","content":[)"
              R"({"type":"toolCall","id":"k","name":"bash","arguments":{"command":"cat a"}}],)"
              R"("usage":{"input":10,"output":2,"cacheRead":3,"cacheWrite":1}}})");
    read.line(R"({"type":"message","id":"b","message":{"role":"toolResult","toolCallId":"k",)"
              R"("isError":true,"content":[{"type":"text","text":"no a"}]}})");
    read.line(R"({"type":"message","id":"c","message":{"role":"assistant","content":[],)"
              R"("stopReason":"error","errorMessage":"503 overloaded"}})");
    REQUIRE(read.events.size() == 2);
    CHECK_FALSE(read.call(0).ok);
    CHECK(read.call(0).tool == "bash");
    CHECK(std::get<ErrorReported>(read.events[1].payload).status == 503);
    REQUIRE(read.uses.size() == 1);
    CHECK(read.uses[0].tokens == LineTokens{10, 3, 1, 2, 0});
    CHECK(read.about().project == "/w");
}

TEST_CASE("stored Copilot session: an exit status makes a failure of what is called a success",
          "[cli]") {
    Read read(kCopilotStore);
    read.line(R"({"type":"session.start","data":{"sessionId":"g1","copilotVersion":"1.0.102",)"
              R"("context":{"cwd":"/w"}}})");
    read.line(R"({"type":"tool.execution_start","data":{"toolCallId":"k","toolName":"bash",)"
              R"("arguments":{"command":"cat a"}}})");
    read.line(R"({"type":"tool.execution_complete","data":{"toolCallId":"k","success":true,)"
              R"("shellExecution":{"exitCode":1},"result":{"content":"no a"}}})");
    read.line(R"({"type":"tool.execution_complete","data":{"toolCallId":"l",)"
              R"("result":{"content":"says nothing of itself"}}})");
    read.line(R"({"type":"session.usage_record","id":"u1","data":{"usage":{"model":"gpt-5.5",)"
              R"("inputTokens":1000,"outputTokens":20,"cacheReadTokens":400}}})");
    read.line(R"({"type":"session.error","data":{"errorType":"rate_limit","statusCode":429,)"
              R"("message":"slow down"}})");
    REQUIRE(read.events.size() == 3);
    CHECK_FALSE(read.call(0).ok);
    CHECK(read.call(0).error->message.kept == "no a");
    CHECK_FALSE(read.call(1).ok);
    CHECK(std::get<ErrorReported>(read.events[2].payload).error_class == "rate_limit");
    REQUIRE(read.uses.size() == 1);
    CHECK(read.uses[0].tokens == LineTokens{600, 400, 0, 20, 0});
    CHECK(read.about().id == "g1");
}

TEST_CASE(
    "stored Copilot session: an abort cuts the turn, an error of a hook or a sub-agent does not",
    "[cli]") {
    Read read(kCopilotStore);
    const auto error = [](const std::string& kind, const std::string& more = "") {
        return R"({"type":"session.error","data":{"errorType":")" + kind + R"(","message":"no"})" +
               more + "}";
    };
    const std::string sub = R"(,"agentId":"a1")";
    read.line(error("hook")).line(error("query", sub)).line(error("query"));
    REQUIRE(read.events.size() == 3);
    CHECK(std::holds_alternative<headway::core::Message>(read.events[0].payload));
    CHECK_FALSE(std::get<ErrorReported>(read.events[1].payload).ends_turn);
    CHECK(std::get<ErrorReported>(read.events[2].payload).ends_turn);
    const std::string abort = R"({"type":"abort","data":{"reason":"user_initiated"})";
    CHECK_FALSE(read.line(abort + sub + "}").cut);
    CHECK(read.line(abort + "}").cut);
}

TEST_CASE("stored Qwen session: calls, tokens and errors of the API", "[cli]") {
    Read read(kQwenStore);
    const std::string head = R"({"sessionId":"q1","provenance":"real_user","cwd":"/w",)";
    read.line(head + R"("type":"user","message":{"parts":[{"text":"Fix it"}]}})");
    read.line(head + R"("type":"assistant","model":"q","message":{"parts":[)"
                     R"({"thought":true,"text":"hm"},{"functionCall":{"id":"k",)"
                     R"("name":"run_shell_command","args":{"command":"cat a"}}}]}})");
    read.line(head + R"("type":"tool_result","message":{"parts":[{"functionResponse":{"id":"k",)"
                     R"("response":{"output":"no a\nExit Code: 1"}}}]}})");
    read.line(head + R"("type":"system","systemPayload":{"uiEvent":{)"
                     R"("event.name":"qwen-code.api_response","response_id":"r1","model":"q",)"
                     R"("input_token_count":1000,"output_token_count":20,)"
                     R"("cached_content_token_count":100}}})");
    read.line(head + R"("type":"system","systemPayload":{"uiEvent":{)"
                     R"("event.name":"qwen-code.api_error","status_code":503,)"
                     R"("error_message":"overloaded"}}})");
    REQUIRE(read.events.size() == 3);
    CHECK(read.about().goal == "Fix it");
    CHECK_FALSE(read.call(1).ok);
    CHECK(std::get<ErrorReported>(read.events[2].payload).status == 503);
    REQUIRE(read.uses.size() == 1);
    CHECK(read.uses[0].tokens == LineTokens{900, 100, 0, 20, 0});
    // Some servers number their answers, others name none.
    for (const std::string id : {"r1", "r1", "", ""}) {
        const std::string at = std::to_string(read.uses.size());
        read.line(head + R"("timestamp":"2026-11-22T11:59:0)" + at +
                  R"(.000Z","type":"system","systemPayload":{"uiEvent":{)"
                  R"("event.name":"qwen-code.api_response","response_id":")" +
                  id + R"(","input_token_count":7}}})");
    }
    std::set<std::string> answers;
    for (const auto& use : read.uses)
        answers.insert(use.answer);
    CHECK(answers.size() == 5);
}

TEST_CASE("stored Gemini session: a message that is written again with its calls counts once",
          "[cli]") {
    Read read(kGeminiStore);
    read.line(R"({"sessionId":"e1","projectHash":"h","kind":"main","directories":["/w"]})");
    const std::string head = R"({"id":"m1","type":"gemini","content":"I look.","model":"g",)"
                             R"("tokens":{"input":1000,"output":20,"cached":100,"thoughts":5})";
    read.line(head + "}");
    read.line(head + R"(,"toolCalls":[{"id":"k","name":"run_shell_command","status":"success",)"
                     R"("args":{"command":"cat a"},"result":[{"functionResponse":{"response":)"
                     R"({"output":"no a\nExit Code: 1"}}}]}]})");
    REQUIRE(read.events.size() == 2);
    CHECK(read.call(1).tool == "run_shell_command");
    CHECK_FALSE(read.call(1).ok);
    REQUIRE(read.uses.size() == 1);
    CHECK(read.uses[0].tokens == LineTokens{900, 100, 0, 20, 5});
    CHECK(read.about().project == "/w");
}

TEST_CASE("stored Claude session: what is attached is passed over, an argument of that name is not",
          "[cli]") {
    const auto matters = kClaudeStore.matters;
    const std::string head = R"({"parentUuid":"a","isSidechain":false,)";
    CHECK_FALSE(matters(head + R"("attachment":{"type":"x"},"type":"attachment"})"));
    CHECK(
        matters(head + R"("message":{"content":[{"type":"tool_use","input":{"attachment":1}}]}})"));
    CHECK(matters(head + R"("type":"user","message":{"content":"the \"attachment\": no"}})"));
    CHECK_FALSE(matters(R"({"type":"api-request-blob","message":{}})"));
    CHECK(matters(R"({"type":"user","message":{}})"));
}
