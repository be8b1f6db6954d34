// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "cli/acp/acp_observer.hpp"
#include "tests/support/parsed.hpp"

using headway::cli::AcpAction;
using headway::cli::AcpObserver;
using headway::cli::Json;
using headway::cli::kTurnStopped;
using headway::tests::parsed;
using Kind = AcpAction::Kind;

namespace {

Json update_with(const std::string& fields) {
    return parsed(R"({"method":"session/update","params":{"sessionId":"s","update":{)" + fields +
                  "}}}");
}

Json prompt_by_id(int id) {
    return {{"id", id},
            {"method", "session/prompt"},
            {"params", {{"sessionId", "s"}, {"prompt", "go"}}}};
}

Json permission(int id, const std::string& call) {
    return parsed(
        R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
        R"(,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c","kind":"edit",)" +
        call + R"(},"options":[]}})");
}

AcpAction question_of(const AcpObserver::Actions& actions) {
    REQUIRE_FALSE(actions.empty());
    REQUIRE(actions.back().kind == Kind::kAsk);
    return actions.back();
}

}  // namespace

TEST_CASE("acp: a permission that cannot be read, or of a session without room, is a question",
          "[cli]") {
    AcpObserver observer("agent");
    observer.from_editor(prompt_by_id(1));
    for (const char* params :
         {"[]", R"({"sessionId":"s"})", R"({"toolCall":{"toolCallId":"c"}})"}) {
        const AcpAction asked = question_of(observer.from_agent(
            {{"id", 7}, {"method", "session/request_permission"}, {"params", parsed(params)}}));
        CHECK(asked.request == "7");
        CHECK_FALSE(asked.data.contains("hook"));
    }
}

TEST_CASE("acp: a permission in an unknown session begins it, by no person", "[cli]") {
    AcpObserver observer("agent");
    const auto actions = observer.from_agent(permission(7, R"("rawInput":{"path":"a"})"));
    REQUIRE(actions.size() == 2);
    CHECK((actions[0].kind == Kind::kOpen && actions[0].request == "7"));
    CHECK(question_of(actions).data.contains("hook"));
    const auto over = observer.from_agent(
        update_with(R"("sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed")"));
    CHECK(over.back().type == "tool.finished");
}

TEST_CASE("acp: a permission for other arguments is another question", "[cli]") {
    AcpObserver observer("agent");
    observer.from_editor(prompt_by_id(1));
    const AcpAction first =
        question_of(observer.from_agent(permission(7, R"("rawInput":{"path":"a"})")));
    CHECK(first.type == "c");
    const auto same = observer.from_agent(permission(8, R"("rawInput":{"path":"a"})"));
    REQUIRE(same.size() == 1);
    CHECK(question_of(same).type == "c");
    CHECK_FALSE(question_of(same).data.contains("started"));

    const auto actions = observer.from_agent(permission(9, R"("rawInput":{"path":"b"})"));
    REQUIRE(actions.size() == 2);
    CHECK(actions.front().type == "tool.finished");
    CHECK(actions.front().data.text_of("call_id") == "c");
    CHECK(actions.front().data["error"].text_of("class") == "cancelled");
    const AcpAction other = question_of(actions);
    CHECK(other.type == "c~2");
    CHECK(other.data["hook"].text_of("call") == "c~2");
    CHECK(dump(other.data["hook"]["args"]) == R"({"path":"b"})");
    CHECK(other.data["started"].text_of("call_id") == "c~2");
    CHECK(dump(other.data["started"]["args"]) == R"({"path":"b"})");
}

TEST_CASE("acp: arguments that change beside a permission are asked for again", "[cli]") {
    AcpObserver observer("agent");
    observer.from_editor(prompt_by_id(1));
    observer.from_agent(permission(7, R"("rawInput":{"path":"a"})"));
    observer.from_agent(update_with(
        R"("sessionUpdate":"tool_call_update","toolCallId":"c","rawInput":{"path":"b"})"));
    CHECK(question_of(observer.from_agent(permission(8, R"("title":"x")"))).type == "c~2");
    // The tool is part of what is asked.
    const auto renamed = observer.from_agent(permission(9, R"("kind":"execute")"));
    CHECK(question_of(renamed).type == "c~3");
}

TEST_CASE("acp: a refusal is of its own question only", "[cli]") {
    const auto finished = [](const char* refused) {
        AcpObserver observer("agent");
        observer.from_editor(prompt_by_id(1));
        observer.from_agent(permission(7, R"("rawInput":{"path":"a"})"));
        observer.from_agent(permission(8, R"("rawInput":{"path":"b"})"));
        observer.refused("s", refused);
        return observer
            .from_agent(update_with(
                R"("sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed")"))
            .back();
    };
    CHECK(finished("c").data["error"].text_of("class").empty());
    CHECK(finished("c~2").data["error"].text_of("class") == "denied");
    CHECK(finished("c").data.text_of("call_id") == "c~2");
}

namespace {

/// The question about a call that was announced with `seen` and asked for with `asked`.
/// `told`: its start was reported in between.
AcpAction question_after(const std::string& seen, const std::string& asked, bool told) {
    AcpObserver observer("agent");
    observer.from_editor(prompt_by_id(1));
    observer.from_agent(update_with(
        R"("sessionUpdate":"tool_call","toolCallId":"c","status":"in_progress",)" + seen));
    if (told) {
        REQUIRE(observer.start_calls().empty());  // a question may be on its way
        REQUIRE(observer.start_calls().size() == 1);
        REQUIRE_FALSE(observer.has_begun());
    }
    return question_of(observer.from_agent(
        parsed(R"({"id":7,"method":"session/request_permission","params":{"sessionId":"s",)"
               R"("toolCall":{"toolCallId":"c",)" +
               asked + "}}}")));
}

}  // namespace

TEST_CASE("acp: what was announced as begun is asked about with the words of both", "[cli]") {
    struct Row {
        const char* name;
        const char* seen;
        const char* asked;
        const char* about;
    };
    const Row rows[] = {
        {"the same", R"("kind":"edit","rawInput":{"a":1})", R"("rawInput":{"a":1})",
         R"(c edit {"a":1})"},
        {"less", R"("kind":"edit","rawInput":{"a":1,"b":2})", R"("rawInput":{"a":1})",
         R"(c edit {"a":1,"b":2})"},
        {"nothing", R"("kind":"edit","rawInput":{"a":1})", R"("rawInput":{})", R"(c edit {"a":1})"},
        {"more", R"("kind":"edit","rawInput":{"a":1})", R"("rawInput":{"b":2})",
         R"(c~2 edit {"a":1,"b":2})"},
        {"no arguments at first", R"("title":"Run")", R"("kind":"execute","rawInput":{"a":1})",
         R"(c~2 execute {"a":1,"title":"Run"})"},
        {"other arguments", R"("kind":"edit","rawInput":{"a":1})", R"("rawInput":{"a":2})",
         R"(c~2 edit {"announced":{"a":1},"asked":{"a":2}})"},
        {"a title", R"("kind":"edit","rawInput":{"a":1})", R"("title":"Look")",
         R"(c~2 edit {"a":1,"title":"Look"})"},
        {"a milder kind", R"("kind":"execute","rawInput":{"a":1})",
         R"("kind":"read","rawInput":{"a":1})",
         R"(c~2 execute (read) {"announced":{"args":{"a":1},"tool":"execute"},"asked":{"args":{"a":1},"tool":"read"}})"},
        {"a harsher kind", R"("kind":"read","rawInput":{"a":1})",
         R"("kind":"delete","rawInput":{"a":1})",
         R"(c~2 delete (read) {"announced":{"args":{"a":1},"tool":"read"},"asked":{"args":{"a":1},"tool":"delete"}})"},
        {"a milder name",
         R"("kind":"execute","_meta":{"claudeCode":{"toolName":"Read"}},"rawInput":{"a":1})",
         R"("rawInput":{"a":1})", R"(c Read (execute) {"a":1})"},
        {"a name that tells more than its kind",
         R"("kind":"search","_meta":{"claudeCode":{"toolName":"Grep"}},"rawInput":{"a":1})",
         R"("rawInput":{"a":1})", R"(c Grep {"a":1})"},
        {"an unknown name",
         R"("kind":"edit","_meta":{"claudeCode":{"toolName":"mcp__notes__add"}})",
         R"("rawInput":{"a":1})", R"(c~2 mcp__notes__add (edit) {"a":1})"},
        {"a name of the agent's", R"("kind":"execute","_meta":{"claudeCode":{"toolName":"Bash"}})",
         R"("kind":"execute","rawInput":{"a":1})", R"(c~2 Bash {"a":1})"},
    };
    for (const Row& row : rows) {
        DYNAMIC_SECTION(row.name) {
            for (const bool told : {false, true}) {
                const AcpAction question = question_after(row.seen, row.asked, told);
                const Json& hook = question.data["hook"];
                const std::string words = hook.text_of("tool") + " " + dump(hook["args"]);
                const std::string about{row.about};
                const std::string::size_type tool = about.find(' ');
                CHECK(words == about.substr(tool + 1));
                // A start that was reported in other words is another call's.
                CHECK(question.type == (told ? about.substr(0, tool) : "c"));
                CHECK(question.data.contains("started") == (!told || question.type != "c"));
            }
        }
    }
}

TEST_CASE("acp: a pending call's arguments are not replaced by fewer", "[cli]") {
    AcpObserver observer("agent");
    observer.from_editor(prompt_by_id(1));
    observer.from_agent(update_with(
        R"("sessionUpdate":"tool_call","toolCallId":"c","kind":"edit","rawInput":{"command":"rm"})"));
    const AcpAction question =
        question_of(observer.from_agent(permission(7, R"("rawInput":{"description":"list"})")));
    CHECK(question.type == "c");
    CHECK(dump(question.data["hook"]["args"]) == R"({"command":"rm","description":"list"})");
    const auto done = [&](const std::string& fields) {
        return observer
            .from_agent(
                update_with(R"("sessionUpdate":"tool_call_update","toolCallId":"c",)" + fields))
            .back()
            .data["args"];
    };
    observer.from_agent(update_with(
        R"("sessionUpdate":"tool_call_update","toolCallId":"c","rawInput":{"command":"rm"})"));
    CHECK(dump(done(R"("status":"completed")")) == R"({"command":"rm","description":"list"})");
}

TEST_CASE("acp: a call that is asked for after its turn was cancelled is refused", "[cli]") {
    AcpObserver observer("agent");
    observer.from_editor(prompt_by_id(1));
    const auto cancel =
        observer.from_editor(parsed(R"({"method":"session/cancel","params":{"sessionId":"s"}})"));
    REQUIRE(cancel.size() == 1);
    CHECK(cancel.front().kind == Kind::kCancel);
    const AcpAction late =
        question_of(observer.from_agent(permission(7, R"("rawInput":{"path":"a"})")));
    CHECK(late.data.text_of("refused") == "its turn was cancelled");
    observer.from_editor(prompt_by_id(2));
    const AcpAction next =
        question_of(observer.from_agent(permission(8, R"("rawInput":{"path":"a"})")));
    CHECK(next.data.contains("hook"));
}

TEST_CASE("acp: calls of the turn before another prompt end as they would without it", "[cli]") {
    AcpObserver observer("agent");
    observer.from_editor(prompt_by_id(1));
    observer.from_agent(permission(7, R"("rawInput":{"path":"a"})"));
    CHECK(observer.from_editor(prompt_by_id(2)).front().kind == Kind::kTurn);
    observer.refused("s", "c");
    const auto over = observer.from_agent(
        update_with(R"("sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed")"));
    REQUIRE(over.size() == 1);
    CHECK(over.front().data["error"].text_of("class") == "denied");
}

TEST_CASE("acp: the late end of a turn does not end the next", "[cli]") {
    AcpObserver observer("agent");
    observer.from_editor(prompt_by_id(1));
    observer.from_editor(parsed(R"({"method":"session/cancel","params":{"sessionId":"s"}})"));
    observer.from_editor(prompt_by_id(2));
    for (const AcpAction& action :
         observer.from_agent(parsed(R"({"id":1,"result":{"stopReason":"cancelled"}})")))
        CHECK(action.kind == Kind::kEvent);
    CHECK(observer.state("s").is_null());
    CHECK(observer.from_agent(parsed(R"({"id":2,"result":{}})")).back().kind == Kind::kIdle);
    CHECK(observer.state("s").text_of("state") == "idle");
}

TEST_CASE("acp: a call is remembered to have reached a daemon until it is another", "[cli]") {
    AcpObserver observer("agent");
    observer.from_editor(prompt_by_id(1));
    CHECK_FALSE(
        question_of(observer.from_agent(permission(7, R"("rawInput":{"path":"a"})"))).reached);
    observer.reached("s", "c");
    CHECK(question_of(observer.from_agent(permission(8, R"("rawInput":{"path":"a"})"))).reached);
    CHECK_FALSE(
        question_of(observer.from_agent(permission(9, R"("rawInput":{"path":"b"})"))).reached);
}

TEST_CASE("acp: a session that no editor has named ends with the turn of those that one has",
          "[cli]") {
    AcpObserver observer("agent");
    observer.from_editor(prompt_by_id(1));
    const auto ask = [&observer](const std::string& call) {
        return question_of(observer.from_agent(
            {{"id", 7},
             {"method", "session/request_permission"},
             {"params", {{"sessionId", "sub"}, {"toolCall", {{"toolCallId", call}}}}}}));
    };
    CHECK(ask("a").data.contains("hook"));
    const auto cancel =
        observer.from_editor(parsed(R"({"method":"session/cancel","params":{"sessionId":"s"}})"));
    REQUIRE(cancel.size() == 2);
    CHECK((cancel[1].kind == Kind::kCancel && cancel[1].session == "sub"));
    CHECK(ask("b").data.contains("refused"));
    observer.from_editor(prompt_by_id(2));
    CHECK(ask("c").data.contains("hook"));
    const auto over = observer.from_agent(parsed(R"({"id":2,"result":{}})"));
    CHECK((over.back().kind == Kind::kCancel && over.back().session == "sub"));
    CHECK(ask("d").data.contains("hook"));
}

TEST_CASE("acp: a turn without words and calls, or with an error, was no success", "[cli]") {
    const auto wrong = [](const char* update, const char* reply, bool cancel = false) {
        AcpObserver observer("agent");
        observer.from_editor(prompt_by_id(1));
        if (update != nullptr) observer.from_agent(update_with(update));
        if (cancel)
            observer.from_editor(
                parsed(R"({"method":"session/cancel","params":{"sessionId":"s"}})"));
        return observer.from_agent(parsed(std::string{R"({"id":1,)"} + reply + "}")).back().type;
    };
    const char* const words =
        R"("sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done."})";
    const char* const call = R"("sessionUpdate":"tool_call","toolCallId":"c")";
    const char* const clean = R"("result":{"stopReason":"end_turn"})";
    const char* const error = R"("error":{"code":-32603,"message":"aborted"})";
    CHECK(wrong(words, clean).empty());
    CHECK(wrong(call, clean).empty());
    CHECK(wrong(nullptr, clean) == "its last turn had neither words nor a call");
    CHECK(wrong(words, R"("result":{"stopReason":"refusal"})") == "the turn ended: refusal");
    CHECK(wrong(words, error) == "aborted");
    CHECK(wrong(words, error, true) == kTurnStopped);
    CHECK(wrong(nullptr, R"("result":{"stopReason":"cancelled"})") == kTurnStopped);
}

TEST_CASE("acp: a call that shows nothing is like no other", "[cli]") {
    AcpObserver observer("agent");
    observer.from_editor(prompt_by_id(1));
    const auto ask = [&observer](int id, const std::string& call) {
        return question_of(observer.from_agent(
            {{"id", id},
             {"method", "session/request_permission"},
             {"params",
              {{"sessionId", "s"}, {"toolCall", {{"toolCallId", call}, {"kind", "execute"}}}}}}));
    };
    const AcpAction first = ask(7, "a");
    CHECK(dump(first.data["hook"]["args"]) == R"({"question":1,"shown":"nothing"})");
    CHECK(ask(8, "a").type == "a");  // the same, asked for again
    CHECK(ask(9, "b").data["hook"]["args"] != first.data["hook"]["args"]);
    observer.allowed("s", "a");
    const AcpAction again = ask(10, "a");
    CHECK(again.type == "a~2");
    CHECK(again.data["hook"]["args"] != first.data["hook"]["args"]);
}

TEST_CASE("acp: texts beside arguments are shown, and other ones are another question", "[cli]") {
    AcpObserver observer("agent");
    observer.from_editor(prompt_by_id(1));
    const auto ask = [&observer](int id, const std::string& text) {
        return question_of(observer.from_agent(permission(
            id, R"("rawInput":{"path":"a"},"content":[{"type":"content","content":{"text":")" +
                    text + R"(","type":"text"}}])")));
    };
    const AcpAction first = ask(7, "look");
    CHECK(first.data["started"].text_of("description") == "The agent says: look");
    CHECK_FALSE(first.data["hook"].contains("description"));
    CHECK(ask(8, "look").type == "c");
    const AcpAction other = ask(9, "write");
    CHECK(other.type == "c~2");
    CHECK(other.data["started"].text_of("description") == "The agent says: write");
    CHECK(other.data["hook"]["args"] == first.data["hook"]["args"]);
}

TEST_CASE("acp: what a call writes out is none of its arguments", "[cli]") {
    AcpObserver observer("agent");
    observer.from_editor(prompt_by_id(1));
    const std::string call = R"("toolCallId":"c","title":"T",)";
    const auto text = [](const char* words) {
        return std::string{R"("content":[{"type":"content","content":{"type":"text","text":")"} +
               words + R"("}}])";
    };
    observer.from_agent(update_with(R"("sessionUpdate":"tool_call",)" + call + text("where")));
    observer.from_agent(update_with(
        R"("sessionUpdate":"tool_call_update","status":"in_progress",)" + call + text("out")));
    const auto over = observer.from_agent(update_with(
        R"("sessionUpdate":"tool_call_update","status":"completed",)" + call + text("all")));
    CHECK(dump(over.back().data["args"]) == R"({"text":"where","title":"T"})");
    CHECK(over.back().data.text_of("result") == "all");
}

TEST_CASE("acp: the end of a call that its user takes back is reported once", "[cli]") {
    const auto end_of = [](AcpObserver& observer, const char* status) {
        return observer.from_agent(update_with(
            std::string{R"("sessionUpdate":"tool_call_update","toolCallId":"c","status":")"} +
            status + "\""));
    };
    for (const char* how : {"denied", "cancelled"}) {
        AcpObserver observer("agent");
        observer.from_editor(prompt_by_id(1));
        observer.from_agent(permission(7, R"("rawInput":{"path":"a"})"));
        const Json end = observer.taken_back("s", "c", how);
        CHECK(end.text_of("call_id") == "c");
        CHECK(end["error"].text_of("class") == how);
        CHECK(dump(end["args"]) == R"({"path":"a"})");
        AcpObserver untold = observer;
        CHECK(end_of(untold, "failed").back().data["error"].text_of("class") == "denied");
        untold = observer;
        untold.reached("s", "c");
        CHECK(end_of(untold, "failed").back().data["error"].text_of("class") == how);
        observer.told_end("s", "c");
        AcpObserver again = observer;
        CHECK(end_of(again, "failed").empty());
        AcpObserver ran = observer;  // whatever was answered
        CHECK(end_of(ran, "completed").back().data.flag_of("ok"));
        const auto other = observer.from_agent(permission(8, R"("rawInput":{"path":"b"})"));
        CHECK(other.size() == 1);
        CHECK(end_of(observer, "failed").back().data["error"].text_of("class").empty());
    }
    AcpObserver observer("agent");
    CHECK(observer.taken_back("s", "c", "denied").is_null());
}
