// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/cli/lines/told.hpp"

// Output of real agents, cut to the part that a test needs; for cursor-agent, output from its
// documentation.

using headway::tests::agent_fixture;
using headway::tests::Told;
using headway::tests::told_of;
using Events = std::vector<std::string>;

TEST_CASE("agent lines: Claude Code's calls, messages, tokens of all models and cost", "[cli]") {
    const Told advice = told_of(agent_fixture("claude"));
    CHECK(advice.events == Events{"at work: claude, model claude-sonnet-4-5",
                                  "assistant: I will look around.", "started toolu_fake0001 Bash",
                                  "ok toolu_fake0001 Bash", "started toolu_fake0002 Read",
                                  "ok toolu_fake0002 Read", "started toolu_fake0007 Bash",
                                  "failed toolu_fake0007 Bash", "ok toolu_fake0012 unknown",
                                  "started toolu_fake0013 Bash", "started toolu_fake0014 Bash",
                                  "ok toolu_fake0013 Bash"});
    CHECK(advice.rest.empty());
    CHECK(advice.tokens == 1'920);
    CHECK(advice.cost == Approx(0.0096));
    CHECK(advice.ok);
    CHECK(advice.result == "All done.");
    CHECK(advice.model == "claude-sonnet-4-5");
}

TEST_CASE("agent lines: a call that Claude Code was refused is denied, not failed", "[cli]") {
    CHECK(told_of(agent_fixture("claude_denied")).events ==
          Events{"assistant: step one", "started toolu_fake0001 Bash", "ok toolu_fake0001 Bash",
                 "started toolu_fake0002 Bash", "failed toolu_fake0002 Bash: denied",
                 "started toolu_fake0003 Bash", "failed toolu_fake0003 Bash",
                 "assistant: All done."});
}

TEST_CASE("agent lines: Qwen Code's lines are those of Claude Code", "[cli]") {
    const Told advice = told_of(agent_fixture("qwen"));
    CHECK(advice.events == Events{"at work: claude, model qwen3-coder", "assistant: ok",
                                  "started call_fake0001 run_shell_command",
                                  "ok call_fake0001 run_shell_command", "assistant: ok",
                                  "started call_fake0002 read_file"});
    CHECK(advice.tokens == 1'080);
    CHECK(advice.result == "All done.");
    const Told failed = told_of(agent_fixture("qwen_failed"));
    CHECK_FALSE(failed.ok);
    CHECK(failed.result == "[API Error: 400 bad thing]");
    CHECK(failed.tokens == 120);
}

TEST_CASE("agent lines: Codex's commands with their exit codes, and its tokens", "[cli]") {
    const Told advice = told_of(agent_fixture("codex"));
    CHECK(advice.events == Events{"at work: codex",
                                  "system: `--dangerously-bypass-hook-trust` is enabled. Enabled "
                                  "hooks may run without review for this invocation.",
                                  "assistant: I will look.", "started item_6 shell",
                                  "ok item_6 shell", "started item_7 shell", "failed item_7 shell",
                                  "started item_13 shell", "ok item_13 shell",
                                  "started item_14 shell", "ok item_14 shell",
                                  "assistant: All done."});
    CHECK(advice.tokens == 1'320);
    CHECK(advice.ok);
    CHECK(advice.result == "All done.");
}

TEST_CASE("agent lines: each change of a file by Codex is a new content", "[cli]") {
    const Told advice = told_of(agent_fixture("codex_patch"));
    REQUIRE(advice.whole.size() == 3);
    const auto& mutated = std::as_const(advice.whole[2].data)["mutated"];
    REQUIRE(mutated.size() == 2);
    CHECK(mutated[0].text_of("path") == "/home/dev/code-run3/a.txt");
    CHECK(mutated[0].text_of("digest") == "codex:item_6");
}

TEST_CASE("agent lines: only a completed call of Codex is a success", "[cli]") {
    const auto end_of = [](const std::string& item) {
        const Told advice = told_of(R"({"type":"thread.started","thread_id":"t"})"
                                    "\n"
                                    R"({"type":"item.completed","item":{"id":"i",)" +
                                    item + "}}\n");
        return advice.events.back();
    };
    const std::string mcp = R"("type":"mcp_tool_call","server":"s","tool":"t","arguments":{},)";
    const auto content = [](const std::string& words) {
        return R"("result":{"content":[{"type":"text","text":")" + words + R"("}]})";
    };
    CHECK(end_of(mcp + content("done") + R"(,"status":"completed")") == "ok i mcp__s__t");
    for (const char* words : {"user cancelled MCP tool call", "user rejected MCP tool call"}) {
        CAPTURE(words);
        CHECK(end_of(mcp + content(words) + R"(,"status":"completed")") ==
              "failed i mcp__s__t: denied");
        CHECK(end_of(mcp + R"("error":{"message":")" + words + R"("},"status":"failed")") ==
              "failed i mcp__s__t: denied");
        CHECK(end_of(mcp + R"("error":{"message":")" + words + R"("},"status":"completed")") ==
              "failed i mcp__s__t: denied");
    }
    for (const char* status : {"cancelled", "interrupted", "in_progress"}) {
        CAPTURE(status);
        CHECK(end_of(mcp + R"("status":")" + status + "\"") == "failed i mcp__s__t: cancelled");
    }
    CHECK(end_of(mcp + R"("status":"a word of tomorrow")") == "failed i mcp__s__t");
    CHECK(end_of(mcp + R"("result":{"isError":true,"content":[]},"status":"completed")") ==
          "failed i mcp__s__t");
    CHECK(end_of(R"("type":"web_search","query":"q")") == "ok i web_search");
    CHECK(end_of(R"("type":"file_change","changes":[],"status":"in_progress")") ==
          "failed i apply_patch: cancelled");
}

TEST_CASE("agent lines: a turn of Codex that failed is a result", "[cli]") {
    const Told advice = told_of(agent_fixture("codex_failed"));
    CHECK_FALSE(advice.ok);
    CHECK_THAT(advice.result, Catch::Contains("bad thing"));
    CHECK(advice.events.back() == "error.reported");
}

TEST_CASE("agent lines: Gemini CLI's calls, and its messages put together", "[cli]") {
    const Told advice = told_of(agent_fixture("gemini"));
    CHECK(advice.events ==
          Events{"at work: gemini, model gemini-2.5-pro", "system: go", "assistant: ok",
                 "started run_shell_command__call_fake0001 run_shell_command",
                 "ok run_shell_command__call_fake0001 run_shell_command", "assistant: ok",
                 "started replace__call_fake0004 replace",
                 "started write_todos__call_fake0006 write_todos",
                 "failed write_todos__call_fake0006 write_todos: json_parse",
                 "started run_shell_command__call_fake0009 run_shell_command",
                 "ok run_shell_command__call_fake0008 unknown",
                 "ok run_shell_command__call_fake0009 run_shell_command", "assistant: All done."});
    CHECK(advice.tokens == 1'080);
    CHECK(advice.model == "gemini-2.5-pro");
    CHECK(advice.result == "All done.");
    const Told failed = told_of(agent_fixture("gemini_failed"));
    CHECK_FALSE(failed.ok);
    CHECK_THAT(failed.result, Catch::Contains("bad thing"));
}

TEST_CASE("agent lines: opencode and Kilo tell a call in one line, and tokens by step", "[cli]") {
    const Told advice = told_of(agent_fixture("opencode"));
    CHECK(advice.events == Events{"assistant: I look.", "started call_fake0001 bash",
                                  "ok call_fake0001 bash", "started call_fake0004 edit",
                                  "failed call_fake0004 edit", "started call_fake0007 bash",
                                  "failed call_fake0007 bash: denied"});
    CHECK(advice.tokens == 120);
    const Told kilo = told_of(agent_fixture("kilo"));
    CHECK(kilo.events == Events{"assistant: I look.", "started call_fake0001 bash",
                                "ok call_fake0001 bash", "started call_fake0002 read",
                                "ok call_fake0002 read", "assistant: All done."});
    CHECK(kilo.tokens == 240);
    CHECK(kilo.ok);
    CHECK(kilo.result == "All done.");
    const Told aborted = told_of(agent_fixture("opencode_aborted"));
    CHECK_FALSE(aborted.ok);
    CHECK(aborted.result == "Aborted");
}

TEST_CASE("agent lines: each agent names its conversation, so that it can be resumed", "[cli]") {
    CHECK(told_of(agent_fixture("claude")).conversation == "09eb8ffe-c283-4942-a47d-b4b939c2e517");
    CHECK(told_of(agent_fixture("gemini")).conversation == "fc89cea0-d795-4494-b519-abe290372b15");
    CHECK(told_of(agent_fixture("qwen")).conversation == "6d836e5e-a03b-4fc0-b2d4-72cd57a958ea");
    CHECK(told_of(agent_fixture("opencode")).conversation == "ses_dfcda4d14ffe08yXcmcACr0erN");
    CHECK(told_of(agent_fixture("kilo")).conversation == "ses_dfcc2f1cdffe9Dn2zKXgCsOCPR");
    for (const char* agent : {"codex", "pi", "cursor", "cline"})
        CHECK_FALSE(told_of(agent_fixture(agent)).conversation.empty());
    const Told copilot = told_of(agent_fixture("copilot"));  // in its last line
    CHECK(copilot.conversation == "0a92c184-c291-4f59-b370-e26b6e868606");
    CHECK(copilot.facts.agent == "copilot");
}

TEST_CASE("agent lines: times of opencode that cannot be make no duration", "[cli]") {
    const auto duration = [](const std::string& start, const std::string& end) {
        const Told advice = told_of(
            R"({"type":"tool_use","timestamp":1,"sessionID":"s","part":{"callID":"c","tool":"bash",)"
            R"("state":{"status":"completed","input":{},"output":"x","time":{"start":)" +
            start + R"(,"end":)" + end + "}}}}\n");
        REQUIRE(advice.whole.size() == 2);
        return dump(advice.whole.back().data["duration_ms"]);
    };
    CHECK(duration("1000", "2500") == "1500");
    CHECK(duration("-9223372036854775808", "9223372036854775807") == "null");
    CHECK(duration("2", "1") == "null");
    CHECK(duration("1", "1.5") == "null");
}

TEST_CASE("agent lines: pi's calls, tokens and last message", "[cli]") {
    const Told advice = told_of(agent_fixture("pi"));
    CHECK(advice.events == Events{"at work: pi", "system: go", "started call_fake0001 bash",
                                  "ok call_fake0001 bash", "started call_fake0002 bash",
                                  "ok call_fake0002 bash", "started call_fake0003 bash",
                                  "failed call_fake0003 bash", "assistant: All done."});
    CHECK(advice.tokens == 480);
    CHECK(advice.result == "All done.");
}

TEST_CASE("agent lines: Copilot CLI's calls with the exit codes of commands", "[cli]") {
    const Told advice = told_of(agent_fixture("copilot"));
    CHECK(Events(advice.events.begin(), advice.events.begin() + 9) ==
          Events{"at work: copilot, model gpt-4.1", "system: do the scripted work",
                 "assistant: I look.", "started call_fake0001 bash", "ok call_fake0001 bash",
                 "started call_fake0002 view", "ok call_fake0002 view",
                 "started call_fake0003 edit", "ok call_fake0003 edit"});
    CHECK(advice.ok);
    CHECK(advice.model == "gpt-4.1");
    CHECK(advice.rest.empty());
}

TEST_CASE("agent lines: cursor-agent's calls are named after their kind", "[cli]") {
    const Told advice = told_of(agent_fixture("cursor"));
    CHECK(advice.events == Events{"at work: cursor, model Claude 4 Sonnet",
                                  "system: Read README.md", "assistant: I'll read it",
                                  "started toolu_1 read", "ok toolu_1 read", "started toolu_2 lint",
                                  "failed toolu_2 lint: denied"});
    CHECK(advice.result == "It has one line.");
    CHECK(advice.model == "Claude 4 Sonnet");
}

TEST_CASE("agent lines: Cline's calls, of which one may be several commands, and its tokens",
          "[cli]") {
    const Told advice = told_of(agent_fixture("cline"));
    CHECK(advice.events ==
          Events{"at work: cline", "assistant: look", "started call_fake0001 run_commands",
                 "ok call_fake0001 run_commands", "started call_fake0002 run_commands",
                 "ok call_fake0002 run_commands", "started call_fake0003 run_commands",
                 "failed call_fake0003 run_commands", "assistant: All done."});
    CHECK(advice.tokens == 480);
    CHECK(advice.model == "fake-model");
    CHECK(advice.ok);
    CHECK(advice.result == "All done.");
    const Told aborted = told_of(agent_fixture("cline_aborted"));
    CHECK_FALSE(aborted.ok);
    CHECK(aborted.tokens == 240);
}

TEST_CASE("agent lines: each format tells the parts of its tokens apart", "[cli]") {
    using headway::cli::LineTokens;
    const auto parts = [](const std::string& output) {
        return told_of(output + "\n", 4'096).parts;
    };
    const std::string opencode =
        R"({"type":"step_finish","timestamp":1,"sessionID":"s","part":{"id":"p","reason":"stop",)"
        R"("tokens":{"input":10,"output":20,"reasoning":500,"cache":{"read":1000,"write":20000}}}})";
    CHECK(parts(opencode) == LineTokens{10, 1'000, 20'000, 20, 500});
    CHECK(parts(opencode).sum() == 21'530);
    const std::string claude =
        R"({"type":"assistant","session_id":"s","uuid":"u","message":{"id":"m","content":[],)"
        R"("usage":{"input_tokens":4,"cache_creation_input_tokens":15178,)"
        R"("cache_read_input_tokens":7,"output_tokens":118,)"
        R"("output_tokens_details":{"thinking_tokens":100}}}})";
    CHECK(parts(claude) == LineTokens{4, 7, 15'178, 18, 100});
    const std::string total =
        R"({"type":"result","session_id":"s","uuid":"u","modelUsage":{"a":{"inputTokens":1,)"
        R"("outputTokens":20,"thinkingTokens":5,"cacheReadInputTokens":3,)"
        R"("cacheCreationInputTokens":4},"b":{"inputTokens":10,"outputTokens":2}}})";
    CHECK(parts(total) == LineTokens{11, 3, 4, 17, 5});
    const std::string qwen =
        R"({"type":"result","session_id":"s","uuid":"u","usage":{"input_tokens":100,)"
        R"("output_tokens":20,"cache_read_input_tokens":30,"total_tokens":150}})";
    CHECK(parts(qwen) == LineTokens{70, 30, 0, 20, 30});
    const std::string codex =
        R"({"type":"thread.started","thread_id":"t"})"
        "\n"
        R"({"type":"turn.completed","usage":{"input_tokens":1100,"cached_input_tokens":900,)"
        R"("cache_write_input_tokens":50,"output_tokens":220,"reasoning_output_tokens":200}})";
    CHECK(parts(codex) == LineTokens{150, 900, 50, 20, 200});
    const std::string gemini =
        R"({"type":"init","timestamp":"t","session_id":"g"})"
        "\n"
        R"({"type":"result","timestamp":"t","status":"success","stats":{"total_tokens":1500,)"
        R"("input_tokens":900,"output_tokens":180,"cached":400,"input":500}})";
    CHECK(parts(gemini) == LineTokens{500, 400, 0, 180, 420});
    const std::string pi =
        R"({"type":"session","version":3,"id":"p","cwd":"/w"})"
        "\n"
        R"({"type":"message_end","message":{"role":"assistant","content":[],"stopReason":"stop",)"
        R"("timestamp":1,"usage":{"input":10,"output":20,"cacheRead":1000,"cacheWrite":20000,)"
        R"("totalTokens":21030}}})";
    CHECK(parts(pi) == LineTokens{10, 1'000, 20'000, 20, 0});
    const std::string cursor =
        R"({"type":"system","subtype":"init","session_id":"s"})"
        "\n"
        R"({"type":"result","subtype":"success","session_id":"s","result":"x","usage":)"
        R"({"inputTokens":5,"outputTokens":6,"cacheReadTokens":7,"cacheWriteTokens":8}})";
    CHECK(parts(cursor) == LineTokens{5, 7, 8, 6, 0});
    const std::string cline =
        R"({"ts":"t","type":"agent_event","event":{"type":"usage","inputTokens":100,)"
        R"("outputTokens":20}})"
        "\n"
        R"({"ts":"t","type":"run_result","finishReason":"completed","text":"x","usage":)"
        R"({"inputTokens":100,"outputTokens":20,"cacheReadTokens":50,"cacheWriteTokens":60}})";
    CHECK(parts(cline) == LineTokens{100, 50, 60, 20, 0});
    const std::string copilot =
        R"({"type":"session.usage_record","id":"1","timestamp":"t","parentId":null,"data":{)"
        R"("usage":{"inputTokens":100,"outputTokens":20,"cacheReadTokens":60}}})";
    CHECK(parts(copilot) == LineTokens{40, 60, 0, 20, 0});
}
