// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/report.hpp"

#include <catch2/catch.hpp>

#include "api/hooks/dialect.hpp"
#include "api/records/args_digest.hpp"
#include "core/base/limits.hpp"

// Hooks of the neutral form, as events.

using namespace headway;
using namespace headway::api;
using namespace headway::api::hooks;

namespace {

struct WhatWasSaid {
    JsonDocument document;
    Hook hook;
    core::Result<HookReport> report;

    explicit WhatWasSaid(const std::string& members)
        : WhatWasSaid("generic", R"({"session":"s",)" + members + "}") {}
    WhatWasSaid(const char* dialect, const std::string& body)
        : report([&] {
              REQUIRE(document.parse(body).has_value());
              hook = find_dialect(dialect)->parse(document.root(), {});
              return take_report(document, hook);
          }()) {}

    const std::vector<core::Event>& events() const {
        REQUIRE(report.has_value());
        return report->decoded.events;
    }
    template <class P>
    const P& only() const {
        REQUIRE(events().size() == 1);
        const auto* payload = std::get_if<P>(&events().front().payload);
        REQUIRE(payload != nullptr);
        return *payload;
    }
};

}  // namespace

TEST_CASE("hook report: an event that is not read is a sign of life with its name and its words",
          "[api]") {
    const std::string claude =
        R"({"session_id":"s","hook_event_name":"SessionFailed","error":"rate_limit","message":"boom"})";
    for (const char* dialect : {"claude", "qwen", "codex", "copilot", "gemini"})
        CHECK(WhatWasSaid(dialect, claude).only<core::Heartbeat>().note ==
              "hook SessionFailed: rate_limit: boom");
    CHECK(WhatWasSaid("cline", R"({"taskId":"s","hookName":"tool_stuck"})")
              .only<core::Heartbeat>()
              .note == "hook tool_stuck");
    const std::string piece =
        R"({"session_id":"s","hook_event_name":"MessageDisplay","delta":"Well","final":false})";
    CHECK(WhatWasSaid("claude", piece).only<core::Heartbeat>().note.empty());
}

TEST_CASE("hook report: a notification that asks for a permission is a dialog, also without a type",
          "[api]") {
    const auto kind_of = [](const char* dialect, const std::string& members) {
        const std::string body =
            R"({"session_id":"s","hook_event_name":"Notification",)" + members + "}";
        return WhatWasSaid(dialect, body).hook.kind;
    };
    const std::string words = R"("message":"Claude needs your permission to use Bash")";
    CHECK(kind_of("claude", words) == HookKind::kAsks);
    CHECK(kind_of("claude", words + R"(,"notification_type":"another")") == HookKind::kAsks);
    CHECK(kind_of("copilot", R"("message":"Copilot needs your permission")") == HookKind::kAsks);
    for (const char* note : {R"("message":"An update is available")",
                             R"("message":"The API needs your input","notification_type":)"
                             R"("agent_completed")",
                             R"("message":"It needs your input","notification_type":)"
                             R"("plugin_notification")",
                             R"("message":"Done: a user needs your permission to write")"})
        CHECK(kind_of("claude", note) == HookKind::kNote);
}

TEST_CASE("hook report: a folder that the agent names by itself is no lane", "[api]") {
    const std::string post = R"("event":"post","tool":"bash","call":"c1","cwd":"/x7")";
    CHECK(WhatWasSaid{post}.only<core::ToolFinished>().lane.empty());
    CHECK(WhatWasSaid{post + R"(,"agent":"a")"}.only<core::ToolFinished>().lane.empty());
}

TEST_CASE("hook report: a call that is about to run has the digest that approvals are bound to",
          "[api]") {
    const WhatWasSaid items{R"("event":"pre","tool":"bash","call":"c1","args":{"b":1,"a":"x"})"};
    const auto& started = items.only<core::ToolStarted>();
    CHECK(started.call_id == "c1");
    CHECK(started.args.kept == R"({"b":1,"a":"x"})");
    JsonDocument document;
    REQUIRE(document.parse(R"({"a":"x","b":1})").has_value());
    CHECK(items.report->args_digest == args_digest(document.root()));
    CHECK_FALSE(items.hook.call.args.has_value());  // it was of the document before
    CHECK(WhatWasSaid{R"("event":"pre","tool":"bash","call":"c1")"}.report->args_digest ==
          no_args_digest());
    CHECK(WhatWasSaid{R"("event":"post","tool":"bash","call":"c1")"}.report->args_digest.empty());
}

TEST_CASE("hook report: results and errors of calls", "[api]") {
    const WhatWasSaid good{R"("event":"post","tool":"bash","call":"c1","ok":true,"result":"done",
                       "duration_ms":12,"mutated":[{"path":"a","digest":"x"}])"};
    CHECK(good.only<core::ToolFinished>().ok);
    CHECK(good.only<core::ToolFinished>().result.kept == R"("done")");
    CHECK(good.only<core::ToolFinished>().duration_ms == 12);
    CHECK(good.only<core::ToolFinished>().mutated.size() == 1);
    CHECK(good.only<core::ToolFinished>().fingerprint.has_value());
    const WhatWasSaid bad{
        R"("event":"post","tool":"bash","call":"c1","error":"no","class":"denied")"};
    CHECK_FALSE(bad.only<core::ToolFinished>().ok);
    CHECK(bad.only<core::ToolFinished>().error->error_class == "denied");
    CHECK(bad.only<core::ToolFinished>().error->message.kept == "no");
}

TEST_CASE("hook report: turns begin and end", "[api]") {
    CHECK(WhatWasSaid{R"("event":"start","source":"startup")"}.only<core::StateChanged>().state ==
          core::AgentState::kIdle);
    // In the middle of a turn.
    WhatWasSaid{R"("event":"start","source":"compact")"}.only<core::Heartbeat>();
    CHECK(WhatWasSaid{R"("event":"prompt","text":"go")"}.only<core::Message>().role == "user");
    CHECK(WhatWasSaid{R"("event":"prompt","text":"go","synthetic":true)"}
              .only<core::Message>()
              .role == "system");
    WhatWasSaid{R"("event":"prompt","text":"")"}.only<core::Heartbeat>();
    const WhatWasSaid stop{
        R"("event":"stop","text":"done","usage":{"input_tokens":3,"output_tokens":4})"};
    REQUIRE(stop.events().size() == 3);
    CHECK(std::get<core::Heartbeat>(stop.events()[0].payload).usage->input_tokens == 3);
    CHECK(std::get<core::Message>(stop.events()[1].payload).text.kept == "done");
    CHECK(std::get<core::StateChanged>(stop.events()[2].payload).state == core::AgentState::kIdle);
    // At its prompt, also where work in the background goes on.
    CHECK(WhatWasSaid{R"("event":"stop","background":2)"}
              .only<core::StateChanged>()
              .background.size() == 2);
    CHECK(WhatWasSaid{R"("event":"stop")"}.only<core::StateChanged>().background.empty());
}

TEST_CASE("hook report: other events", "[api]") {
    CHECK(WhatWasSaid{R"("event":"error","text":"529","class":"server_error")"}
              .only<core::ErrorReported>()
              .error_class == "server_error");
    CHECK(WhatWasSaid{R"("event":"compacted","source":"auto","text":"sum")"}
              .only<core::Compacted>()
              .trigger == "auto");
    for (const char* event : {"permission", "asks"}) {
        const WhatWasSaid items{R"("tool":"bash","event":")" + std::string{event} + "\""};
        CHECK(items.only<core::StateChanged>().state == core::AgentState::kAwaitingPermission);
    }
    CHECK(WhatWasSaid{R"("event":"substart")"}.only<core::StateChanged>().state ==
          core::AgentState::kProcessingPrompt);
    for (const char* event : {"usage", "turn", "none"})
        WhatWasSaid{R"("event":")" + std::string{event} + "\""}.only<core::Heartbeat>();
    CHECK(WhatWasSaid{R"("event":"end","reason":"bye")"}.events().empty());
}

TEST_CASE("hook report: a batch has each of its calls and a beat", "[api]") {
    const WhatWasSaid items{R"("event":"batch","calls":[{"tool":"a","call":"1","result":"x"},
                       {"tool":"b","call":"2","error":"no"}])"};
    REQUIRE(items.events().size() == 3);
    CHECK(std::get<core::ToolFinished>(items.events()[0].payload).ok);
    CHECK_FALSE(std::get<core::ToolFinished>(items.events()[1].payload).ok);
    CHECK(std::holds_alternative<core::Heartbeat>(items.events()[2].payload));
}

TEST_CASE("hook report: a call of a batch that nothing is known of did not run", "[api]") {
    const WhatWasSaid items{R"("event":"batch","calls":[{"tool":"a","call":"1"},
                       {"tool":"b","call":"2","result":""},{"tool":"c","call":"3","ok":true}])"};
    REQUIRE(items.events().size() == 4);
    const auto ok = [&](std::size_t place) {
        return std::get<core::ToolFinished>(items.events()[place].payload).ok;
    };
    CHECK_FALSE(ok(0));
    const auto& error = std::get<core::ToolFinished>(items.events()[0].payload).error;
    REQUIRE(error);
    CHECK(error->error_class == "denied");
    CHECK(ok(1));
    CHECK(ok(2));
    CHECK(items.report->untold == std::vector<std::size_t>{0});
}

TEST_CASE("hook report: more calls than a report may have are refused as a whole", "[api]") {
    std::string calls;
    for (int i = 0; i < 1'001; ++i)
        calls += R"({"tool":"a"},)";
    calls.back() = ']';
    const WhatWasSaid items{R"("event":"batch","calls":[)" + calls};
    REQUIRE_FALSE(items.report.has_value());
    CHECK(items.report.error().code == core::ErrorCode::kTooManyEvents);
}

TEST_CASE("hook report: a hook that waits keeps no long text", "[api]") {
    const std::string text(1U << 20U, 'x');
    for (const std::string kind : {"pre", "permission", "request", "question"}) {
        const WhatWasSaid items{R"("event":")" + kind + R"(","tool":"bash","text":")" + text +
                                R"(","options":[")" + text + "\"]"};
        REQUIRE((items.report.has_value() || kind == "question"));  // an option may not be so long
        CHECK(items.hook.text.capacity() < 100);
        CHECK(items.hook.options.capacity() == 0);
    }
    const WhatWasSaid goal{R"("event":"prompt","text":"fix it")"};
    CHECK(goal.hook.text == "fix it");
}

TEST_CASE("hook report: whatever members a hook that waits has, it keeps few bytes", "[api]") {
    const std::string text(1U << 17U, 'x');
    std::string members;
    for (const char* name : {"reason", "error", "outcome", "class", "mode", "source", "model",
                             "agent", "agent_type", "agent_version", "cwd", "digest", "result"})
        members += R"(,")" + std::string{name} + R"(":")" + text + "\"";
    std::string names = R"(,"background":[")" + text + "\"";
    for (int i = 0; i < 300; ++i)
        names += ",\"sleep " + std::to_string(i) + "\"";
    members += names + "]";
    for (const std::string kind : {"pre", "permission", "request", "question"}) {
        CAPTURE(kind);
        const WhatWasSaid items{R"("event":")" + kind +
                                R"(","tool":"bash","call":"c","text":"why","options":["a","b"])" +
                                members};
        REQUIRE(items.report.has_value());
        const Hook& hook = items.hook;
        std::size_t bytes = 0;
        for (const std::string* one : {&hook.event,
                                       &hook.agent,
                                       &hook.event_id,
                                       &hook.session,
                                       &hook.agent_id,
                                       &hook.agent_type,
                                       &hook.parent,
                                       &hook.cwd,
                                       &hook.model,
                                       &hook.transcript_path,
                                       &hook.agent_version,
                                       &hook.source,
                                       &hook.mode,
                                       &hook.text,
                                       &hook.outcome,
                                       &hook.reason,
                                       &hook.error_class,
                                       &hook.echo,
                                       &hook.echo_args,
                                       &hook.call.call_args,
                                       &hook.call.call,
                                       &hook.call.tool,
                                       &hook.call.result,
                                       &hook.call.error,
                                       &hook.call.error_class})
            bytes += one->capacity();
        CHECK(bytes < 16'384);
        CHECK(hook.background.capacity() == 0);
        CHECK(hook.background_agents.capacity() == 0);
        CHECK(hook.wake_prompts.capacity() == 0);
        CHECK(hook.options.capacity() == 0);
        CHECK(hook.calls.capacity() == 0);
    }
}

TEST_CASE("hook report: a dialog has the request that a person may decide beside it", "[api]") {
    const WhatWasSaid items{
        R"("event":"permission","dialog":true,"tool":"bash","args":{"b":1,"a":"x"},"text":"to see")"};
    CHECK(items.only<core::StateChanged>().state == core::AgentState::kAwaitingPermission);
    REQUIRE(items.report->dialog);
    const core::ApprovalRequested& asked = *items.report->dialog;
    CHECK(asked.kind == core::ApprovalKind::kTool);
    CHECK(asked.tool == "bash");
    CHECK(asked.args.text == R"({"b":1,"a":"x"})");
    CHECK(asked.summary.kept == "to see");
    CHECK(asked.args_digest == items.report->args_digest);
    const WhatWasSaid call{R"("event":"pre","tool":"bash","call":"1","args":{"a":"x","b":1})"};
    CHECK(asked.args_digest == call.report->args_digest);
    CHECK_FALSE(call.report->dialog);
    CHECK_FALSE(WhatWasSaid{R"("event":"permission","dialog":true)"}.report->dialog);
    CHECK_FALSE(WhatWasSaid{R"("event":"permission","tool":"bash")"}.report->dialog);
    CHECK_FALSE(WhatWasSaid{R"("event":"pre","tool":"bash","dialog":true)"}.report->dialog);
    // Arguments that a person could not see whole.
    const std::string large(core::limits::kApprovalArgsBytesMax, 'x');
    const WhatWasSaid much{R"("event":"permission","dialog":true,"tool":"bash","args":{"a":")" +
                           large + "\"}"};
    CHECK(much.events().size() == 1);
    CHECK_FALSE(much.report->dialog);
}

namespace {

core::Result<HookReport> report_of(std::string_view dialect, const std::string& body) {
    JsonDocument document;
    REQUIRE(document.parse(body).has_value());
    Hook hook = find_dialect(dialect)->parse(document.root(), {});
    return take_report(document, hook);
}

std::string asks_codex(const char* event, const std::string& tool, const std::string& args) {
    return R"({"session_id":"s","hook_event_name":")" + std::string{event} + R"(","tool_name":")" +
           tool + R"(","tool_use_id":"c","tool_input":)" + args + "}";
}

}  // namespace

TEST_CASE("hook report: a dialog of Codex is about the bytes of its call", "[api]") {
    const auto is_of = [](const std::string& tool, const std::string& shown,
                          const std::string& runs) {
        const auto dialog = report_of("codex", asks_codex("PermissionRequest", tool, shown));
        const auto call = report_of("codex", asks_codex("PreToolUse", tool, runs));
        REQUIRE((dialog && call && dialog->dialog));
        CHECK(dialog->args_digest == call->args_digest);
        CHECK(dialog->dialog->args_digest == call->args_digest);
        return dialog->dialog->summary.kept;
    };
    CHECK(is_of("Bash", R"({"command":"touch a","description":"need it"})",
                R"({"command":"touch a"})") == "need it");
    CHECK(is_of("Bash", R"({"command":"touch a"})", R"({"command":"touch a"})").empty());
    is_of("apply_patch", R"({"command":"*** End Patch"})", R"({"command":"*** End Patch\n"})");
    is_of("apply_patch", R"({"command":"\""})", R"({"command":"\"\n"})");
    is_of("mcp__a__b", R"({"description":"x"})", R"({"description":"x"})");
}

TEST_CASE("hook report: a question of Claude is more than yes or no", "[api]") {
    const auto reported = report_of(
        "claude", asks_codex("PermissionRequest", "AskUserQuestion", R"({"questions":[]})"));
    REQUIRE(reported);
    CHECK_FALSE(reported->dialog);
}

TEST_CASE("hook report: events of a hook with an event_id can be told from their repetition",
          "[api]") {
    const WhatWasSaid one{R"("event":"post","tool":"bash","call":"c1","event_id":"e1")"};
    REQUIRE(one.events().size() == 1);
    CHECK(one.events()[0].event_id == "e1");
    const WhatWasSaid several{R"("event":"stop","text":"done","event_id":"e2")"};
    REQUIRE(several.events().size() == 2);
    CHECK(several.events()[0].event_id.empty());
    CHECK(several.events()[1].event_id == "e2");
    CHECK(WhatWasSaid{R"("event":"turn")"}.events()[0].event_id.empty());
    const WhatWasSaid ours{R"("event":"turn","event_id":"headway:goal-1")"};
    CHECK(ours.events()[0].event_id.empty());
    const std::string most(core::limits::kIdBytesMax, 'e');
    CHECK(WhatWasSaid{R"("event":"turn","event_id":")" + most + "\""}.events()[0].event_id == most);
    CHECK(
        WhatWasSaid{R"("event":"turn","event_id":"e)" + most + "\""}.events()[0].event_id.empty());
}
