// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "api/hooks/dialect.hpp"
#include "tests/unit/api/hooks/fixtures.hpp"

// Every reply, event by event: exactly what each agent was seen to obey, and nothing elsewhere.

using namespace headway;
using namespace headway::api::hooks;
using namespace headway::tests;

namespace {

HookReply deny(std::string why) {
    HookReply reply;
    reply.deny = std::move(why);
    return reply;
}
HookReply allow(std::string by) {
    HookReply reply;
    reply.allow = std::move(by);
    return reply;
}
HookReply edit(std::string json, std::string by = {}) {
    HookReply reply = allow(std::move(by));
    reply.edit_json = std::move(json);
    return reply;
}
HookReply say(std::string words) {
    HookReply reply;
    reply.context = std::move(words);
    return reply;
}
HookReply goes_on(std::string why) {
    HookReply reply;
    reply.go_on = std::move(why);
    return reply;
}
HookReply stop(std::string why) {
    HookReply reply;
    reply.stop = std::move(why);
    return reply;
}
HookReply halt(std::string why) {
    HookReply reply = stop(std::move(why));
    reply.stop_hard = true;
    return reply;
}
HookReply late(std::string words = {}) {
    HookReply reply = deny(std::move(words));
    reply.undecided = true;
    return reply;
}

struct Case {
    std::string_view fixture;  ///< dialect/name
    HookReply reply;
    std::string_view json;
};

std::string rendered(std::string_view fixture, const HookReply& reply) {
    const std::size_t slash = fixture.find('/');
    const Dialect* dialect = find_dialect(fixture.substr(0, slash));
    REQUIRE(dialect != nullptr);
    const std::string body = read_whole(fixture_folder() / (std::string{fixture} + ".json"));
    api::JsonDocument document;
    require_ok(document.parse(body));
    return dialect->render(dialect->parse(document.root(), {}), reply);
}

void check(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
        INFO(c.fixture);
        CHECK(rendered(c.fixture, c.reply) == c.json);
    }
}

constexpr std::string_view kStop = "STOP. Call no more tools; give your final answer now. ";

}  // namespace

// The texts and forms of these are those of the runs in which the agents were seen to obey.

TEST_CASE("hook replies: claude obeyed each of these", "[api][hooks]") {
    check({
        {"claude/pre_bash", deny("HEADWAY-DENY"),
         R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"HEADWAY-DENY"}})"},
        {"claude/pre_bash", allow("approved by ana"),
         R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"approved by ana"}})"},
        {"claude/pre_bash", edit(R"({"command":"echo EDITED","description":"edited"})"),
         R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"echo EDITED","description":"edited"}}})"},
        {"claude/pre_bash", say("HEADWAY-PRECTX echo one"),
         R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"HEADWAY-PRECTX echo one"}})"},
        {"claude/pre_bash", halt("HEADWAY-STOP budget"),
         R"({"continue":false,"stopReason":"HEADWAY-STOP budget","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"HEADWAY-STOP budget"}})"},
        {"claude/post_bash", say("HEADWAY-POSTCTX echo one"),
         R"({"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"HEADWAY-POSTCTX echo one"}})"},
        {"claude/post_bash", halt("HEADWAY-STOP budget"),
         R"({"continue":false,"stopReason":"HEADWAY-STOP budget"})"},
        {"claude/post_failure", say("HEADWAY-FAILCTX"),
         R"({"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"HEADWAY-FAILCTX"}})"},
        {"claude/batch", say("HEADWAY-BATCHCTX"),
         R"({"hookSpecificOutput":{"hookEventName":"PostToolBatch","additionalContext":"HEADWAY-BATCHCTX"}})"},
        {"claude/batch", halt("HEADWAY-STOP batch"),
         R"({"continue":false,"stopReason":"HEADWAY-STOP batch"})"},
        {"claude/prompt", say("HEADWAY-PROMPTCTX"),
         R"({"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"HEADWAY-PROMPTCTX"}})"},
        {"claude/prompt", halt("HEADWAY-STOP prompt"),
         R"({"continue":false,"stopReason":"HEADWAY-STOP prompt"})"},
        {"claude/sub_start", say("HEADWAY-SUBCTX"),
         R"({"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"HEADWAY-SUBCTX"}})"},
        {"claude/permission", allow("ana"),
         R"({"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}})"},
        {"claude/permission", deny("HEADWAY-REJECTED by ana"),
         R"({"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"HEADWAY-REJECTED by ana"}}})"},
        {"claude/permission", halt("HEADWAY-REJECTED"),
         R"({"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"HEADWAY-REJECTED","interrupt":true}}})"},
    });
}

TEST_CASE("hook replies: claude, what else there is", "[api][hooks]") {
    const std::string soft =
        R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":")" +
        std::string{kStop} + R"(90 % of the budget"}})";
    check({
        {"claude/pre_bash", stop("90 % of the budget"), soft},
        {"claude/sub_pre", stop("90 % of the budget"), soft},
        {"claude/pre_bash", late(),
         R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"No decision about this call has been made yet. Do something else and try it again later."}})"},
        {"claude/pre_bash", late("Approval 7 waits."),
         R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Approval 7 waits."}})"},
        {"claude/permission", late(), "{}"},
        {"claude/permission", late("Approval 7 waits."), "{}"},
        {"claude/permission", stop("budget"),
         R"({"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"STOP. Call no more tools; give your final answer now. budget"}}})"},
        {"claude/permission", edit(R"({"command":"x"})", "ana"),
         R"({"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"This call was allowed with other arguments. Make it again with exactly these:\n{\"command\":\"x\"}"}}})"},
        {"claude/permission", say("x"), "{}"},
        {"claude/post_failure", halt("x"), "{}"},
        {"claude/post_bash", stop("x"), "{}"},
        {"claude/prompt", stop("x"), "{}"},
        {"claude/start", say("x"), "{}"},
        {"claude/stop", halt("x"), "{}"},
        {"claude/stop", say("x"), "{}"},
        {"claude/end", halt("x"), "{}"},
        {"claude/asks", say("x"), "{}"},
        {"claude/sub_end", halt("x"), "{}"},
    });
}

TEST_CASE("hook replies: qwen", "[api][hooks]") {
    check({
        {"qwen/pre", deny("HEADWAY-DENY"),
         R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"HEADWAY-DENY"}})"},
        {"qwen/prompt", halt("HEADWAY-PROMPTBLOCK"),
         R"({"decision":"block","reason":"HEADWAY-PROMPTBLOCK"})"},
        {"qwen/prompt_empty", halt("HEADWAY-PROMPTBLOCK"),
         R"({"decision":"block","reason":"HEADWAY-PROMPTBLOCK"})"},
        {"qwen/start", say("HEADWAY-STARTCTX"),
         R"({"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"HEADWAY-STARTCTX"}})"},
        {"qwen/prompt", say("HEADWAY-PROMPTCTX"),
         R"({"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"HEADWAY-PROMPTCTX"}})"},
        {"qwen/post", say("HEADWAY-POSTCTX"),
         R"({"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"HEADWAY-POSTCTX"}})"},
        {"qwen/post_failure", say("HEADWAY-FAILCTX"),
         R"({"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"HEADWAY-FAILCTX"}})"},
        {"qwen/batch", say("x"),
         R"({"hookSpecificOutput":{"hookEventName":"PostToolBatch","additionalContext":"x"}})"},
        {"qwen/pre", halt("budget"),
         R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"STOP. Call no more tools; give your final answer now. budget"}})"},
        {"qwen/pre", edit(R"({"command":"x"})", "ana"),
         R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"This call was allowed with other arguments. Make it again with exactly these:\n{\"command\":\"x\"}"}})"},
        {"qwen/pre", late("wait"),
         R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"wait"}})"},
        {"qwen/pre", say("x"), "{}"},
        {"qwen/pre", allow("ana"), "{}"},
        {"qwen/prompt_empty", say("x"), "{}"},
        {"qwen/prompt", stop("x"), "{}"},
        {"qwen/post", halt("x"), "{}"},
        {"qwen/batch", halt("x"), "{}"},
        {"qwen/stop", halt("x"), "{}"},
        {"qwen/authenticated", halt("x"), "{}"},
    });
}

TEST_CASE("hook replies: codex", "[api][hooks]") {
    check({
        {"codex/pre", deny("HEADWAY-DENY wrap up"),
         R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"HEADWAY-DENY wrap up"}})"},
        {"codex/pre", edit(R"({"command":"echo EDITED"})", "ana"),
         R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"echo EDITED"}}})"},
        {"codex/pre", say("HEADWAY-PRECTX"),
         R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"HEADWAY-PRECTX"}})"},
        {"codex/post", say("HEADWAY-POSTCTX"),
         R"({"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"HEADWAY-POSTCTX"}})"},
        {"codex/prompt", say("HEADWAY-PROMPTCTX"),
         R"({"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"HEADWAY-PROMPTCTX"}})"},
        {"codex/start", say("HEADWAY-STARTCTX"),
         R"({"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"HEADWAY-STARTCTX"}})"},
        {"codex/prompt", halt("HEADWAY-PROMPTBLOCK"),
         R"({"decision":"block","reason":"HEADWAY-PROMPTBLOCK"})"},
        {"codex/permission", allow("ana"),
         R"({"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}})"},
        {"codex/permission", deny("HEADWAY-REJECTED by ana"),
         R"({"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"HEADWAY-REJECTED by ana"}}})"},
        {"codex/pre", halt("cancelled by ana"),
         R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"STOP. Call no more tools; give your final answer now. cancelled by ana"}})"},
        {"codex/pre", allow("ana"), "{}"},
        {"codex/pre", late("wait"),
         R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"wait"}})"},
        {"codex/permission", late("wait"), "{}"},
        {"codex/post", halt("x"), "{}"},
        {"codex/prompt", stop("x"), "{}"},
        {"codex/sub_start", say("x"), "{}"},
        {"codex/stop", say("x"), "{}"},
        {"codex/end", halt("x"), "{}"},
    });
}

TEST_CASE("hook replies: gemini", "[api][hooks]") {
    check({
        {"gemini/pre", deny("HEADWAY-DENY"), R"({"decision":"deny","reason":"HEADWAY-DENY"})"},
        {"gemini/pre", halt("HEADWAY-STOP"), R"({"continue":false,"stopReason":"HEADWAY-STOP"})"},
        {"gemini/post", halt("HEADWAY-STOP"), R"({"continue":false,"stopReason":"HEADWAY-STOP"})"},
        {"gemini/usage", halt("HEADWAY-STOP"), R"({"continue":false,"stopReason":"HEADWAY-STOP"})"},
        {"gemini/post", say("HEADWAY-POSTCTX"),
         R"({"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"HEADWAY-POSTCTX"}})"},
        {"gemini/prompt", say("HEADWAY-PROMPTCTX"),
         R"({"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"HEADWAY-PROMPTCTX"}})"},
        {"gemini/start", say("HEADWAY-STARTCTX"),
         R"({"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"HEADWAY-STARTCTX"}})"},
        {"gemini/pre", edit(R"({"command":"echo EDITED"})", "ana"),
         R"({"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"echo EDITED"}}})"},
        {"gemini/pre", stop("budget"),
         R"({"decision":"deny","reason":"STOP. Call no more tools; give your final answer now. budget"})"},
        {"gemini/pre", late("wait"), R"({"decision":"deny","reason":"wait"})"},
        {"gemini/pre", say("x"), "{}"},
        {"gemini/pre", allow("ana"), "{}"},
        {"gemini/usage", say("x"), "{}"},
        {"gemini/prompt", halt("x"), "{}"},
        {"gemini/compress", halt("x"), "{}"},
        {"gemini/before_model", halt("x"), "{}"},
        {"gemini/stop", halt("x"), "{}"},
        {"gemini/end", say("x"), "{}"},
    });
}

TEST_CASE("hook replies: copilot, in both of its namings", "[api][hooks]") {
    for (const std::string naming : {"copilot/", "copilot/camel_"}) {
        const auto is = [&](const char* name, const HookReply& reply, std::string_view json) {
            INFO(naming << name);
            CHECK(rendered(naming + name, reply) == json);
        };
        is("pre", deny("HEADWAY-DENY"),
           R"({"permissionDecision":"deny","permissionDecisionReason":"HEADWAY-DENY"})");
        is("pre", halt("x"),
           R"({"permissionDecision":"deny","permissionDecisionReason":"STOP. Call no more tools; give your final answer now. x"})");
        is("pre", late("wait"),
           R"({"permissionDecision":"deny","permissionDecisionReason":"wait"})");
        is("pre", allow("ana"), R"({"permissionDecision":"allow"})");
        is("pre", edit(R"({"command":"echo EDITED"})", "ana"),
           R"({"permissionDecision":"allow","modifiedArgs":{"command":"echo EDITED"}})");
        is("pre", say("HEADWAY-CTX"), R"({"additionalContext":"HEADWAY-CTX"})");
        is("post", say("HEADWAY-CTX"), R"({"additionalContext":"HEADWAY-CTX"})");
        is("prompt", say("HEADWAY-CTX"), R"({"additionalContext":"HEADWAY-CTX"})");
        is("start", say("HEADWAY-CTX"), R"({"additionalContext":"HEADWAY-CTX"})");
        is("permission", allow("ana"), R"({"behavior":"allow"})");
        is("permission", deny("no"), R"({"behavior":"deny","message":"no"})");
        is("permission", late("wait"), "{}");
        is("permission", say("x"), "{}");
        is("permission", edit(R"({"command":"x"})", "ana"),
           R"({"behavior":"deny","message":"This call was allowed with other arguments. Make it again with exactly these:\n{\"command\":\"x\"}"})");
        is("post_failure", say("x"), "{}");
        is("post", halt("x"), "{}");
        is("stop", halt("x"), "{}");
        is("sub_start", say("x"), "{}");
        is("end", halt("x"), "{}");
    }
}

TEST_CASE("hook replies: the end of a turn is refused where agents go on by that", "[api][hooks]") {
    HookReply stopped = halt("enough");
    stopped.go_on = "x";
    check({
        {"claude/stop", goes_on("red"), R"({"decision":"block","reason":"red"})"},
        {"codex/stop", goes_on("red"), R"({"decision":"block","reason":"red"})"},
        {"qwen/stop", goes_on("red"), R"({"decision":"block","reason":"red"})"},
        {"gemini/stop", goes_on("red"), R"({"decision":"deny","reason":"red"})"},
        {"copilot/stop", goes_on("red"), R"({"decision":"block","reason":"red"})"},
        {"cline/stop", goes_on("red"), "{}"},
        {"claude/stop", stopped, "{}"},
        {"claude/pre_bash", goes_on("red"), "{}"},
    });
}

TEST_CASE("hook replies: cline", "[api][hooks]") {
    check({
        {"cline/pre", deny("no"), R"({"cancel":true})"},
        {"cline/pre", stop("x"), R"({"cancel":true})"},
        {"cline/pre", halt("x"), R"({"cancel":true})"},
        {"cline/pre", say("HEADWAY-CTX"), R"({"context":"HEADWAY-CTX"})"},
        {"cline/post", say("HEADWAY-CTX"), R"({"context":"HEADWAY-CTX"})"},
        {"cline/pre", edit(R"({"commands":["echo EDITED"]})", "ana"),
         R"({"overrideInput":{"commands":["echo EDITED"]}})"},
        {"cline/pre", allow("ana"), "{}"},
        {"cline/pre", late("wait"), R"({"cancel":true})"},
        {"cline/post", halt("x"), "{}"},
        {"cline/start", say("x"), "{}"},
        {"cline/stop", halt("x"), "{}"},
        {"cline/shutdown", halt("x"), "{}"},
    });
}

TEST_CASE("hook replies: generic", "[api][hooks]") {
    HookReply budget = say("Try another way.");
    budget.system = "Budget: 40 % is left.";
    HookReply held = late("Approval 7 waits.");
    held.context = "Wait.";
    check({
        {"generic/pre", deny("no"), R"({"deny":"no"})"},
        {"generic/pre", edit(R"({"command":"x"})", "ana"),
         R"({"edit":{"command":"x"},"allow":"ana"})"},
        {"generic/pre", allow("ana"), R"({"allow":"ana"})"},
        {"generic/pre", stop("90 %"),
         R"({"deny":"STOP. Call no more tools; give your final answer now. 90 %"})"},
        {"generic/pre", halt("cancelled by ana"),
         R"({"deny":"cancelled by ana","stop":"cancelled by ana"})"},
        {"generic/pre", held, R"({"deny":"Approval 7 waits.","context":"Wait."})"},
        {"generic/permission", late("Not yet."), R"({"deny":"Not yet."})"},
        {"generic/permission", allow("ana"), R"({"allow":"ana"})"},
        {"generic/post", budget,
         R"({"context":"Try another way.","system":"Budget: 40 % is left."})"},
        {"generic/post", halt("cancelled by ana"), R"({"stop":"cancelled by ana"})"},
        {"generic/post", deny("no"), "{}"},
        {"generic/post", stop("90 %"), "{}"},
        {"generic/unknown_event", halt("x"), "{}"},
        {"generic/no_session", deny("x"), "{}"},
    });
}

TEST_CASE("hook replies: what there is to say goes along with a refusal", "[api][hooks]") {
    HookReply reply = deny("A person said no.");
    reply.context = "Two calls were equal.";
    reply.system = "40 % is left.";
    const std::string words = "A person said no.\\n\\nTwo calls were equal.\\n\\n40 % is left.";
    CHECK(rendered("gemini/pre", reply) == R"({"decision":"deny","reason":")" + words + R"("})");
    CHECK(rendered("copilot/pre", reply) ==
          R"({"permissionDecision":"deny","permissionDecisionReason":")" + words + R"("})");
    reply.deny.clear();
    CHECK(rendered("codex/post", reply) ==
          R"({"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":)"
          R"("Two calls were equal.\n\n40 % is left."}})");
}

TEST_CASE("hook replies: long texts are cut between characters, and leave each other room",
          "[api][hooks]") {
    std::string umlauts;
    while (umlauts.size() < 5001)
        umlauts += "ä";
    const auto text_in = [](const std::string& json, const char* member) {
        return nlohmann::json::parse(json).at("hookSpecificOutput").at(member).get<std::string>();
    };
    for (const std::size_t shift : {0U, 1U}) {
        HookReply reply = say(std::string(shift, 'x') + umlauts);
        std::string words = text_in(rendered("claude/post_bash", reply), "additionalContext");
        CHECK(words.size() <= kReplyTextBytesMax);
        CHECK(words.size() > kReplyTextBytesMax - 2);
        REQUIRE(words.ends_with("ä…"));
        CHECK(reply.context.starts_with(words.substr(0, words.size() - 3)));

        reply.system = "40 % is left.";
        words = text_in(rendered("claude/post_bash", reply), "additionalContext");
        CHECK(words.size() <= kReplyTextBytesMax);
        CHECK(words.ends_with("ä…\n\n40 % is left."));
        reply.system = umlauts;
        reply.context = "short";
        words = text_in(rendered("claude/post_bash", reply), "additionalContext");
        CHECK(words.starts_with("short\n\nä"));
        CHECK(words.ends_with("ä…"));
        CHECK(words.size() > kReplyTextBytesMax - 3);
    }
    HookReply reply = edit(R"({"command":")" + std::string(3000, 'x') + R"("})", "ana");
    const std::string words = text_in(rendered("qwen/pre", reply), "permissionDecisionReason");
    CHECK(words.find("too long to repeat") != std::string::npos);
    // An edit that the agent takes is never cut.
    CHECK(rendered("codex/pre", reply).find(reply.edit_json) != std::string::npos);
}

TEST_CASE("hook replies: each text of each dialect is bounded, and shows where it was cut",
          "[api][hooks]") {
    const std::string words(10'000, 'w');
    std::vector<HookReply> replies{deny(words),
                                   allow(words),
                                   say(words),
                                   stop(words),
                                   halt(words),
                                   late(words),
                                   edit(R"({"x":1})", words)};
    replies.emplace_back().answer = words;
    replies.emplace_back().system = words;
    const std::string too_long(kReplyTextBytesMax - 2, 'w');
    std::size_t cut = 0;
    for (const Fixture& fixture : all_fixtures()) {
        INFO(fixture.path.string());
        const std::string body = read_whole(fixture.path);
        api::JsonDocument document;
        require_ok(document.parse(body));
        const Hook hook = fixture.dialect->parse(document.root(), {});
        for (const HookReply& reply : replies) {
            const std::string json = fixture.dialect->render(hook, reply);
            CHECK(json.find(too_long) == std::string::npos);
            const bool has_text = json.find(std::string(900, 'w')) != std::string::npos;
            CHECK(has_text == (json.find("w…") != std::string::npos));
            cut += has_text ? 1 : 0;
        }
    }
    CHECK(cut > 100);
}

TEST_CASE("hook replies: context is rendered where a dialect says that it takes it",
          "[api][hooks]") {
    for (const Fixture& fixture : all_fixtures()) {
        INFO(fixture.path.string());
        const std::string body = read_whole(fixture.path);
        api::JsonDocument document;
        require_ok(document.parse(body));
        const Hook hook = fixture.dialect->parse(document.root(), {});
        const std::string json = fixture.dialect->render(hook, say("HEADWAY-CTX"));
        CHECK((json.find("HEADWAY-CTX") != std::string::npos) ==
              fixture.dialect->takes_context(hook));
        CHECK(fixture.dialect->render(hook, {}) == "{}");
    }
}

namespace {

using Document = nlohmann::json;

/// Replies that are never made: other decisions, `continue` alone where it comes too late, an
/// allowance without a name, texts that are too long.
bool is_ours(const Document& json, const Document& output) {
    if (!json.contains("hookSpecificOutput") && !json.contains("stopReason")) return false;
    const std::string decision = output.value("permissionDecision", "");
    if (decision == "ask" || decision == "defer") return false;
    if (decision == "allow") return json.dump().find("by ana") != std::string::npos;
    return output.value("additionalContext", "").size() <= kReplyTextBytesMax;
}

HookReply reply_of(const Document& json, const Document& output) {
    if (json.contains("stopReason")) return halt(json.at("stopReason").get<std::string>());
    const Document decision = output.value("decision", Document::object());
    const std::string message = decision.value("message", "");
    if (decision.contains("interrupt")) return halt(message);
    if (decision.contains("message")) return deny(message);
    if (decision.contains("behavior")) return allow("ana");
    const std::string reason = output.value("permissionDecisionReason", "");
    if (output.value("permissionDecision", "") == "allow") return allow(reason);
    return reason.empty() ? say(output.value("additionalContext", "")) : deny(reason);
}

std::size_t check_replies(const std::filesystem::path& path) {
    std::size_t count = 0;
    for (const Document& item : Document::parse(read_whole(path))) {
        Document obeyed = item.value("reply", Document{});
        if (!obeyed.is_object()) continue;
        const Document output = obeyed.value("hookSpecificOutput", Document::object());
        const bool alone = item.at("event") == "PreToolUse" && output.empty();
        if (alone || !is_ours(obeyed, output)) continue;
        const HookReply reply = reply_of(obeyed, output);
        // A stop of ours has the same words in both places.
        if (obeyed.contains("stopReason") && !output.empty()) {
            obeyed["hookSpecificOutput"]["permissionDecisionReason"] = reply.stop;
        }
        const std::string body = item.at("body").dump();
        INFO(path.string() << " " << obeyed.dump());
        api::JsonDocument document;
        require_ok(document.parse(body));
        const Dialect& claude = *find_dialect("claude");
        CHECK(Document::parse(claude.render(claude.parse(document.root(), {}), reply)) == obeyed);
        ++count;
    }
    return count;
}

}  // namespace

TEST_CASE("hook replies: what claude obeyed in captured runs is what is rendered", "[api][hooks]") {
    const std::filesystem::path captures =
        std::filesystem::path{HEADWAY_SOURCE_DIR}.parent_path() / "shared/adapters/captures/claude";
    if (!std::filesystem::is_directory(captures)) {
        WARN("skipped: no captured payloads beside the checkout");
        return;
    }
    std::size_t count = 0;
    for (const char* cases : {"cases", "cases-2.1.330"}) {
        for (const auto& entry : std::filesystem::directory_iterator{captures / cases})
            count += check_replies(entry.path() / "hooks.json");
    }
    CHECK(count > 20);
}
