// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "api/hooks/dialect.hpp"
#include "core/redaction/secrets.hpp"
#include "core/text/text.hpp"
#include "tests/unit/api/hooks/fixtures.hpp"

// Cases that the golden files do not have: facts besides the body, ids, bounds, members of a wrong
// type.

using namespace headway;
using namespace headway::api::hooks;
using namespace headway::tests;

namespace {

/// A hook with the document that its arguments lie on.
struct Read {
    explicit Read(std::string_view agent, const std::string& body, const HookFacts& facts = {}) {
        require_ok(document.parse(body));
        hook = find_dialect(agent)->parse(document.root(), facts);
    }
    api::JsonDocument document;
    Hook hook;
};

std::string fixture(const char* name) {
    return read_whole(fixture_folder() / (std::string{name} + ".json"));
}

/// `body` with each `from` as `to`.
std::string with(std::string body, std::string_view from, std::string_view to) {
    REQUIRE(body.find(from) != std::string::npos);
    for (std::size_t at = 0; (at = body.find(from, at)) != std::string::npos; at += to.size())
        body.replace(at, from.size(), to);
    return body;
}

std::string digest_text(std::string_view text) {
    return core::to_hex(core::digest_of(text));
}

}  // namespace

TEST_CASE("hooks: dialects are found by their names", "[api][hooks]") {
    for (const Dialect* dialect : all_dialects()) {
        CHECK(find_dialect(dialect->name) == dialect);
        CHECK(dialect->hold.count() > 0);
    }
    CHECK(all_dialects().size() == 7);
    CHECK(find_dialect("") == nullptr);
    CHECK(find_dialect("Claude") == nullptr);
    CHECK(find_dialect("opencode") == nullptr);
}

TEST_CASE("hooks: codex says how a call ended only in its rollout", "[api][hooks]") {
    const std::string body = fixture("codex/post_failed");
    const Read untold{"codex", body};
    CHECK_FALSE(untold.hook.call.ok.has_value());
    CHECK(untold.hook.call.error.empty());

    HookFacts facts;
    facts.exit_code = 1;
    facts.agent_version = "0.169.0";
    const Read parsed{"codex", body, facts};
    CHECK(parsed.hook.call.ok == false);
    CHECK(parsed.hook.call.exit_code == 1U);
    CHECK(parsed.hook.call.error == untold.hook.call.result);
    CHECK(parsed.hook.call.result.empty());
    CHECK(parsed.hook.agent_version == "0.169.0");

    facts.exit_code = 0;
    CHECK(Read("codex", fixture("codex/post"), facts).hook.call.ok == true);
}

TEST_CASE("hooks: a call without an id has the same one before and after it", "[api][hooks]") {
    const auto id = [](const char* agent, const char* name) {
        return Read{agent, fixture(name)}.hook.call.call;
    };
    CHECK(id("gemini", "gemini/pre") == id("gemini", "gemini/post"));
    CHECK(id("gemini", "gemini/pre") != id("gemini", "gemini/post_edited_input"));
    CHECK(id("copilot", "copilot/pre") == id("copilot", "copilot/post"));
    CHECK(id("copilot", "copilot/camel_pre") == id("copilot", "copilot/camel_post"));
    CHECK(id("generic", "generic/pre_without_id").starts_with("h-"));

    // However it is written, but not of another tool.
    const std::string one =
        R"({"session_id":"s","hook_event_name":"BeforeTool","tool_name":"t","tool_input":{"a":1,"b":{"d":2,"c":[]}}})";
    const std::string other =
        R"({"tool_input":{"b":{"c":[],"d":2},"a":1},"tool_name":"t","hook_event_name":"BeforeTool","session_id":"s"})";
    CHECK(Read("gemini", one).hook.call.call == Read("gemini", other).hook.call.call);
    CHECK(Read("gemini", with(one, "\"t\"", "\"u\"")).hook.call.call !=
          Read("gemini", one).hook.call.call);
    CHECK(Read("gemini", one).hook.call.call.size() == 34);
}

TEST_CASE("hooks: claude and qwen name the call of a question in other hooks only",
          "[api][hooks]") {
    CHECK(Read("claude", fixture("claude/permission")).hook.call.call.empty());
    CHECK(Read("copilot", fixture("copilot/permission")).hook.call.call.empty());
    const std::string pre = fixture("qwen/pre");
    const std::string batch = fixture("qwen/batch");
    CHECK(Read("qwen", pre).hook.call.call == "call_fake0001");
    CHECK(Read("qwen", batch).hook.calls.at(0).call == "call_fake0001");
}

TEST_CASE("hooks: what a call wrote is known by the digest of the new content", "[api][hooks]") {
    const auto wrote = [](const char* agent, const char* name) {
        const Read read{agent, fixture(name)};
        REQUIRE(read.hook.call.mutated.size() == 1);
        return read.hook.call.mutated.front().digest;
    };
    CHECK(wrote("claude", "claude/post_write") == digest_text("new file\n"));
    CHECK(wrote("claude", "claude/post_edit") == digest_text("goodbye\n"));
    CHECK(wrote("qwen", "qwen/post_edit") == digest_text("goodbye\n"));
    CHECK(wrote("qwen", "qwen/post_write") == digest_text("new\n"));
    CHECK(wrote("gemini", "gemini/post_edit") == digest_text("goodbye\n"));
    CHECK(wrote("copilot", "copilot/post_write") == digest_text("new\n"));

    // The same change of two files is no copy of one text.
    const std::string copilot = fixture("copilot/post_edit");
    const auto change = [](const std::string& body) {
        return Read{"copilot", body}.hook.call.mutated.at(0);
    };
    const std::string path = change(copilot).path;
    CHECK(change(copilot).digest != change(with(copilot, path, path + "x")).digest);

    // Only the first place, or all of them.
    const std::string edit =
        R"({"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Edit","tool_use_id":"c",)"
        R"("tool_input":{"file_path":"f","old_string":"a","new_string":"aa","replace_all":ALL},)"
        R"("tool_response":{"filePath":"f","originalFile":"abca","userModified":false}})";
    const auto edited = [&](const std::string& body) {
        return Read{"claude", body}.hook.call.mutated.at(0).digest;
    };
    CHECK(edited(with(edit, "ALL", "false")) == digest_text("aabca"));
    CHECK(edited(with(edit, "ALL", "true")) == digest_text("aabcaa"));
    const std::string changed = with(with(edit, "ALL", "true"), "fied\":false", "fied\":true");
    CHECK(edited(changed).empty());
}

TEST_CASE("hooks: each file of a patch has a digest of its part", "[api][hooks]") {
    const Read read{"codex", fixture("codex/post_patch")};
    REQUIRE(read.hook.call.mutated.size() == 2);
    CHECK(read.hook.call.mutated[0].path == "a.txt");
    CHECK(read.hook.call.mutated[1].path == "b.txt");
    CHECK(read.hook.call.mutated[1].digest == digest_text("*** Add File: b.txt\n+new\n"));
}

TEST_CASE("hooks: an exit code is read where the shell tool writes it", "[api][hooks]") {
    const auto read = [](std::string_view content) {
        std::string json;
        api::append_json_string(json, content);
        const Read r{
            "gemini",
            R"({"session_id":"s","hook_event_name":"AfterTool","tool_name":"run_shell_command",)"
            R"("tool_input":{},"tool_response":{"llmContent":)" +
                json + R"(,"returnDisplay":"shown"}})"};
        return r.hook.call.exit_code;
    };
    CHECK(read("<untrusted_context>\nOutput: x\nExit Code: 3\nProcess Group PGID: 7\n"
               "</untrusted_context>") == 3U);
    CHECK(read("Output: x\nExit Code: 3") == 3U);
    // A line of the output that looks like it.
    CHECK_FALSE(read("Output: log\nExit Code: 3\nmore\nProcess Group PGID: 7").has_value());
    CHECK_FALSE(read("Output: x\nExit Code: none").has_value());
}

TEST_CASE("hooks: an interrupted call is cancelled", "[api][hooks]") {
    const Read failure{"claude", with(fixture("claude/post_failure"), "\"is_interrupt\": false",
                                      "\"is_interrupt\": true")};
    CHECK(failure.hook.call.interrupted);
    CHECK(failure.hook.call.error_class == "cancelled");
    CHECK(failure.hook.call.ok == false);
    const Read result{"claude", with(fixture("claude/post_bash"), "\"interrupted\": false",
                                     "\"interrupted\": true")};
    CHECK(result.hook.call.error_class == "cancelled");
    CHECK(result.hook.call.error == "one");
    CHECK(result.hook.call.result.empty());
}

TEST_CASE("hooks: words of claude count only at the beginning of a result", "[api][hooks]") {
    const std::string body = fixture("claude/batch_unknown_tool");
    const std::string words = "<tool_use_error>Error: No such tool available: NoSuchTool";
    const Read later{"claude", with(body, words, "from a log: " + words)};
    CHECK_FALSE(later.hook.calls.at(0).ok.has_value());
    CHECK(later.hook.calls.at(0).error_class.empty());
}

TEST_CASE("hooks: a member of a wrong type is as absent", "[api][hooks]") {
    const Read read{
        "claude",
        R"({"session_id":"s","hook_event_name":"PostToolUse","tool_name":7,"tool_input":"text",)"
        R"("tool_use_id":[],"tool_response":5,"duration_ms":-3,"cwd":{},"permission_mode":null})"};
    CHECK(read.hook.kind == HookKind::kPost);
    CHECK(read.hook.call.tool.empty());
    CHECK(read.hook.call.args->text() == "text");
    CHECK(read.hook.call.call.starts_with("h-"));
    CHECK(read.hook.call.result == "5");
    CHECK_FALSE(read.hook.call.duration_ms.has_value());
    for (const Dialect* dialect : all_dialects()) {
        for (const char* body : {"null", "7", "[]", "\"x\"", "{}", R"({"session_id":7})"}) {
            api::JsonDocument document;
            require_ok(document.parse(body));
            const Hook hook = dialect->parse(document.root(), {});
            CHECK(hook.kind == HookKind::kNone);
            CHECK(hook.session.empty());
        }
    }
}

TEST_CASE("hooks: a neutral call that says how it ended in a word that is not known has failed",
          "[api][hooks]") {
    const auto ok = [](const std::string& members) {
        const Read read{"generic",
                        R"({"event":"post","session":"s","tool":"t","result":"",)" + members + "}"};
        return read.hook.call.ok;
    };
    for (const char* bad :
         {R"("ok":"false")", R"("ok":"true")", R"("ok":0)", R"("ok":1)", R"("ok":[])",
          R"("ok":false)", R"("exit_code":137)", R"("exit_code":-1)", R"("exit_code":"0")",
          R"("exit_code":{})", R"("class":7)", R"("class":"timeout")", R"("error":"boom")",
          R"("error":{"code":1})"}) {
        INFO(bad);
        CHECK(ok(bad) == std::optional{false});
    }
    for (const char* good :
         {R"("ok":true)", R"("ok":true,"exit_code":1)", R"("ok":true,"class":7)"}) {
        INFO(good);
        CHECK(ok(good) == std::optional{true});
    }
    for (const char* none : {R"("ok":null)", R"("exit_code":0)", R"("exit_code":null)",
                             R"("class":null)", R"("class":"")"}) {
        INFO(none);
        CHECK_FALSE(ok(none).has_value());
    }
    const Read batch{"generic",
                     R"({"event":"batch","session":"s","calls":[{"tool":"t","ok":"yes"},)"
                     R"({"tool":"t","exit_code":-9},{"tool":"t","ok":true}]})"};
    REQUIRE(batch.hook.calls.size() == 3);
    CHECK(batch.hook.calls[0].ok == std::optional{false});
    CHECK(batch.hook.calls[1].ok == std::optional{false});
    CHECK(batch.hook.calls[2].ok == std::optional{true});
}

TEST_CASE("hooks: a neutral outcome that is not known is a failure that names it", "[api][hooks]") {
    const auto outcome = [](const std::string& event, const std::string& value) {
        const Read read{"generic",
                        R"({"event":")" + event + R"(","session":"s","outcome":)" + value + "}"};
        return read.hook.outcome + "|" + read.hook.reason;
    };
    for (const std::string event : {"end", "subend"}) {
        CHECK(outcome(event, R"("banana")") ==
              "failed|it ended with an outcome that is not known: banana");
        for (const char* bad :
             {R"("error")", R"("FAILED")", R"("failure")", "5", "true", "{}", R"("")"})
            CHECK_THAT(outcome(event, bad),
                       Catch::StartsWith("failed|it ended with an outcome that is not known"));
        CHECK(outcome(event, "null") == "|");
        CHECK(outcome(event, R"("completed")") == "completed|");
    }
}

TEST_CASE("hooks: names are bounded and have no control characters", "[api][hooks]") {
    const auto session = [](const std::string& id) {
        return Read{"claude", R"({"hook_event_name":"Stop","session_id":")" + id + "\"}"}
            .hook.session;
    };
    CHECK(session(std::string(kHookNameBytesMax, 'x')).size() == kHookNameBytesMax);
    CHECK(session(std::string(kHookNameBytesMax + 1, 'x')).empty());
    CHECK(session("a\\u0007b").empty());
}

TEST_CASE("hooks: results are without secrets, and without whole files", "[api][hooks]") {
    const core::SecretFinder secrets;
    api::JsonDocument document;
    document.redact_with(&secrets);
    const std::string key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ";
    const std::string body =
        R"({"session_id":"s","hook_event_name":"PostToolUse","tool_name":"t","tool_use_id":"c",)"
        R"("tool_input":{},"tool_response":{"filePath":"/a","content":"all of it","originalFile":"before",)"
        R"("password":"hunter2hunter2","note":")" +
        key + R"("}})";
    require_ok(document.parse(body));
    const std::string result = find_dialect("claude")->parse(document.root(), {}).call.result;
    CHECK(result.find("all of it") == std::string::npos);
    CHECK(result.find("before") == std::string::npos);
    CHECK(result.find("hunter2") == std::string::npos);
    CHECK(result.find(key) == std::string::npos);
    CHECK(result.find("\"note\":") != std::string::npos);
}

TEST_CASE("hooks: a sub-agent does not wait for itself", "[api][hooks]") {
    CHECK(Read("claude", fixture("claude/sub_end")).hook.background.empty());
    CHECK(Read("claude", fixture("claude/stop_background")).hook.background.size() == 1);
    CHECK(Read("claude", with(fixture("claude/stop_background"), "\"running\"", "\"completed\""))
              .hook.background.empty());
}

TEST_CASE("hook parse: an event of cline that says nothing is no event that is not read",
          "[api][hooks]") {
    const auto named = [](const char* event) {
        return Read{"cline", with(fixture("cline/start"), "agent_start", event)}.hook;
    };
    CHECK(named("agent_resume").kind == HookKind::kStart);
    for (const char* event : {"prompt_submit", "pre_compact", "agent_abort"}) {
        CAPTURE(event);
        CHECK(named(event).text.empty());
    }
    CHECK(named("of_a_newer_version").text == "hook of_a_newer_version");
}

TEST_CASE("hook parse: a sender of the neutral form may be unable to change arguments",
          "[api][hooks]") {
    const auto unedited = [](const char* more) {
        return Read{"generic", R"({"event":"pre","session":"s","tool":"t","args":{})" +
                                   std::string{more} + "}"}
            .hook.unedited;
    };
    CHECK_FALSE(unedited(""));
    CHECK_FALSE(unedited(R"(,"edits":true)"));
    CHECK(unedited(R"(,"edits":false)"));
}

TEST_CASE("hooks: another picture is another result", "[api][hooks]") {
    const auto shown = [](std::string_view agent, std::string response) {
        const bool gemini = agent == "gemini";
        if (gemini && response[0] == '[') response = R"({"llmContent":)" + response + "}";
        const Read read{agent, R"({"session_id":"s","cwd":"/","tool_name":"shot","tool_input":{},)"
                               R"("tool_use_id":"t","hook_event_name":")" +
                                   std::string{gemini ? "AfterTool" : "PostToolUse"} +
                                   R"(","tool_response":)" + response + "}"};
        return read.hook.call.result;
    };
    const std::string forms[] = {
        R"([{"type":"text","text":"Took it"},{"type":"image","source":{"data":"AAAA"}}])",
        R"({"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]})",
        R"({"type":"image","file":{"base64":"AAAA"}})", R"([{"inlineData":{"data":"AAAA"}}])"};
    for (const char* agent : {"claude", "qwen", "codex", "gemini"}) {
        for (const std::string& form : forms) {
            CAPTURE(agent, form);
            const std::string one = shown(agent, form);
            CHECK_FALSE(one.empty());
            CHECK(one == shown(agent, form));
            CHECK(one != shown(agent, with(form, "AAAA", "AAAB")));
        }
    }
    // The same picture and the same link, also where what is about the answer is another one.
    for (const char* block : {R"([{"type":"image","data":"AAAA","_meta":{"id":1}}])",
                              R"([{"type":"resource_link","uri":"a","_meta":{"id":1}}])"})
        CHECK(shown("claude", block) == shown("claude", with(block, "\"id\":1", "\"id\":2")));
}

TEST_CASE("hooks: a result that says of itself that it failed has failed", "[api][hooks]") {
    const std::pair<const char*, const char*> agents[] = {{"claude", "PostToolUse"},
                                                          {"codex", "PostToolUse"},
                                                          {"qwen", "PostToolUse"},
                                                          {"gemini", "AfterTool"},
                                                          {"copilot", "PostToolUse"}};
    const std::string text = R"("content":[{"type":"text","text":"no"}])";
    for (const auto& [agent, event] : agents) {
        const char* member = std::string_view{agent} == "copilot" ? "tool_result" : "tool_response";
        const auto ok = [&, agent = agent, event = event](const std::string& response) {
            const Read read{agent, R"({"session_id":"s","cwd":"/","tool_name":"t","tool_input":{},)"
                                   R"("tool_use_id":"t","hook_event_name":")" +
                                       std::string{event} + R"(",")" + member + "\":" + response +
                                       "}"};
            return read.hook.call.ok.value_or(true);
        };
        CAPTURE(agent);
        CHECK_FALSE(ok(R"({"isError":true,)" + text + "}"));
        CHECK_FALSE(ok(R"({"success":false,)" + text + "}"));
        CHECK(ok(R"({"isError":false,)" + text + "}"));
        CHECK(ok("{" + text + "}"));
    }
}

TEST_CASE("hooks: what the model is shown is the result, and no short form of it", "[api][hooks]") {
    const auto result = [](std::string_view agent, const std::string& response,
                           const std::string& tool = "find") {
        const bool gemini = agent == "gemini";
        const Read read{agent, R"({"session_id":"s","cwd":"/","tool_name":")" + tool +
                                   R"(","tool_input":{},)"
                                   R"("tool_use_id":"t","hook_event_name":")" +
                                   std::string{gemini ? "AfterTool" : "PostToolUse"} +
                                   R"(","tool_response":)" + response + "}"};
        return read.hook.call.result;
    };
    for (const char* agent : {"claude", "codex", "qwen"}) {
        CAPTURE(agent);
        CHECK_THAT(result(agent, R"({"mode":"content","content":"a.py:13:def f"})"),
                   Catch::Contains("a.py:13:def f"));
        CHECK(result(agent, R"([{"type":"resource","resource":{"uri":"x","text":"page 2"}}])") ==
              "page 2");
        CHECK(result(agent, R"([{"type":"rows","rows":[1]}])") !=
              result(agent, R"([{"type":"rows","rows":[2]}])"));
    }
    // The content of a written file is kept as what the call wrote.
    CHECK_THAT(result("claude", R"({"type":"create","filePath":"/a","content":"whole file"})"),
               !Catch::Contains("whole file"));
    CHECK(result("gemini", R"({"returnDisplay":"Found 3 matches","llmContent":"a:1\nb:2"})") ==
          "a:1\nb:2");
    CHECK(result("gemini",
                 R"({"returnDisplay":"ok","llmContent":"Output: ok\nExit Code: 0\n)"
                 R"(Process Group PGID: 77"})",
                 "run_shell_command") == "ok");
    // The window of Gemini's terminal, in which the output may be cut.
    CHECK(result("gemini",
                 R"({"returnDisplay":[[{"text":"b"}]],"llmContent":)"
                 R"("Output: a\nb\nProcess Group PGID: 77"})",
                 "run_shell_command") == "a\nb");
}
