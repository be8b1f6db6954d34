// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/messages/acp_deed.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "cli/acp/acp_gate.hpp"
#include "cli/acp/acp_observer.hpp"
#include "tests/support/parsed.hpp"

using headway::cli::acp_covers;
using headway::cli::acp_deed;
using headway::cli::acp_deed_line;
using headway::cli::acp_is_exact;
using headway::cli::acp_names_file;
using headway::cli::AcpAction;
using headway::cli::AcpFile;
using headway::cli::AcpFileNow;
using headway::cli::AcpGate;
using headway::cli::AcpObserver;
using headway::cli::Json;
using headway::tests::parsed;
using Kind = AcpAction::Kind;

namespace {

Json of_session(int id, const char* method, Json params) {
    params["sessionId"] = "s";
    return {{"id", id}, {"method", method}, {"params", std::move(params)}};
}

Json run(int id, Json params) {
    return of_session(id, "terminal/create", std::move(params));
}

Json write(int id, const std::string& path) {
    return of_session(id, "fs/write_text_file", {{"path", path}, {"content", "new"}});
}

Json told(Json fields) {
    return {{"method", "session/update"},
            {"params", {{"sessionId", "s"}, {"update", std::move(fields)}}}};
}

Json begun_call(const char* kind, Json input) {
    return told({{"sessionUpdate", "tool_call"},
                 {"toolCallId", "c"},
                 {"kind", kind},
                 {"status", "in_progress"},
                 {"rawInput", std::move(input)}});
}

AcpObserver at_work() {
    AcpObserver observer("agent", "m");
    const Json words = parsed(R"([{"text":"go"}])");
    observer.from_editor(of_session(1, "session/prompt", {{"prompt", words}}));
    return observer;
}

Json permission(int id) {
    return of_session(id, "session/request_permission", {{"toolCall", {{"toolCallId", "c"}}}});
}

const AcpAction* question_in(const AcpObserver::Actions& actions) {
    for (const AcpAction& action : actions)
        if (action.kind == Kind::kAsk) return &action;
    return nullptr;
}

}  // namespace

TEST_CASE("acp: a command that the editor is to run is a call of its own, and ends as it did",
          "[cli]") {
    AcpObserver observer = at_work();
    const auto asked = observer.from_agent(
        run(7, {{"command", "rm"}, {"args", Json::array({"-rf", "/x y"})}, {"cwd", "/w"}}));
    const AcpAction* const question = question_in(asked);
    REQUIRE(question != nullptr);
    CHECK((question->deed && question->request == "7" && question->type == "terminal-1-m"));
    CHECK(question->data["hook"].text_of("tool") == "execute");
    CHECK(question->data["hook"]["args"] == Json{{"command", "rm -rf '/x y'"}, {"cwd", "/w"}});
    CHECK(question->data.contains("started"));
    observer.allowed("s", question->type);
    CHECK(observer.state("s").text_of("state") == "executing_tool");
    observer.answered({{"id", 7}, {"result", {{"terminalId", "t"}}}});
    observer.from_agent(of_session(8, "terminal/wait_for_exit", {{"terminalId", "t"}}));
    observer.answered({{"id", 8}, {"result", {{"exitCode", 3}, {"signal", nullptr}}}});
    observer.from_agent(of_session(9, "terminal/output", {{"terminalId", "t"}}));
    observer.answered({{"id", 9}, {"result", {{"output", "gone"}, {"truncated", false}}}});
    const auto over =
        observer.from_agent(of_session(10, "terminal/release", {{"terminalId", "t"}}));
    REQUIRE(over.size() == 1);
    CHECK(over[0].type == "tool.finished");
    CHECK(over[0].data["call_id"] == "terminal-1-m");
    CHECK_FALSE(over[0].data.flag_of("ok"));
    CHECK(over[0].data["error"].text_of("message") == "gone");
}

TEST_CASE("acp: a file that the editor is to write is what the call has written", "[cli]") {
    AcpObserver observer = at_work();
    const auto asked = observer.from_agent(write(7, "/w/a"));
    const AcpAction* const question = question_in(asked);
    REQUIRE(question != nullptr);
    CHECK(question->data["hook"].text_of("tool") == "edit");
    observer.allowed("s", question->type);
    const auto over = observer.answered({{"id", 7}, {"result", nullptr}});
    REQUIRE(over.size() == 1);
    CHECK(over[0].data.flag_of("ok"));
    CHECK(over[0].data["mutated"][std::size_t{0}].text_of("path") == "/w/a");
}

TEST_CASE("acp: a deed that an allowed call has announced is part of it, once for a command",
          "[cli]") {
    AcpObserver observer = at_work();
    observer.from_agent(begun_call("execute", {{"command", " npm test\n"}}));
    observer.from_agent(permission(5));
    // Before its answer it covers nothing.
    CHECK(question_in(observer.from_agent(run(6, {{"command", "npm test"}})))->type ==
          "terminal-1-m");
    observer.allowed("s", "c");
    CHECK(
        observer.from_agent(run(7, {{"command", "npm"}, {"args", Json::array({"test"})}})).empty());
    CHECK(question_in(observer.from_agent(run(8, {{"command", "npm test"}}))) != nullptr);
    CHECK(question_in(observer.from_agent(write(9, "npm test"))) != nullptr);
}

TEST_CASE("acp: a deed of a call that did not ask is the question about that call", "[cli]") {
    AcpObserver observer = at_work();
    observer.from_agent(begun_call("edit", {{"file_path", "/w/a"}}));
    const auto asked = observer.from_agent(write(7, "/w/./a"));
    REQUIRE(question_in(asked) != nullptr);
    CHECK(question_in(asked)->type == "c");
    observer.refused("s", "c");
    CHECK(question_in(observer.from_agent(write(8, "/w/a")))->data.contains("refused"));
    CHECK(question_in(observer.from_agent(write(9, "/w/c")))->type == "write-1-m");
}

TEST_CASE("acp: a deed is not done for a call that was refused, nor in a cancelled turn", "[cli]") {
    AcpObserver observer = at_work();
    observer.from_agent(begun_call("execute", {{"command", "make"}}));
    observer.from_agent(permission(5));
    observer.refused("s", "c");
    CHECK(
        question_in(observer.from_agent(run(6, {{"command", "make"}})))->data.contains("refused"));
    observer.stopped("s");
    CHECK(question_in(observer.from_agent(run(7, {{"command", "ls"}})))->data.contains("refused"));
}

TEST_CASE("acp: what a person was shown is compared by words and by paths", "[cli]") {
    const auto deed =
        acp_deed(run(1, {{"command", "bash"}, {"args", Json::array({"-lc", "npm test"})}}));
    REQUIRE(deed);
    const auto covers = [&](const Json& args, const char* tool) {
        return acp_covers({{"tool", tool}, {"args", args}}, *deed, "/w");
    };
    CHECK(covers({{"command", "npm test"}}, "execute"));
    CHECK(covers({{"command", Json::array({"bash", "-lc", "npm test"})}}, "Bash"));
    CHECK(covers({{"title", "`npm test`"}}, "execute"));
    CHECK_FALSE(covers({{"title", "npm test"}, {"command", "ls"}}, "execute"));
    CHECK_FALSE(covers({{"command", "npm test"}}, "read"));
    CHECK_FALSE(covers({{"announced", {{"command", "npm test"}}}, {"asked", "x"}}, "execute"));
    for (const char* other : {"npm  test", "npm\ntest", "npm"})
        CHECK_FALSE(covers({{"command", other}}, "execute"));
    const auto file = acp_deed(write(1, "/w/a"));
    REQUIRE(file);
    const auto names = [&](const Json& call, const char* tool, const char* folder) {
        return acp_names_file(call, tool, *file, folder);
    };
    CHECK(names({{"rawInput", {{"path", "a"}}}}, "edit", "/w"));
    CHECK_FALSE(names({{"rawInput", {{"path", "a"}}}}, "edit", "/"));
    CHECK_FALSE(names({{"rawInput", {{"path", "/w/a"}}}}, "read", "/w"));
    CHECK(names(parsed(R"({"locations":[{"path":"/w/./a"}]})"), "edit", ""));
    CHECK(names(parsed(R"({"rawInput":{"changes":{"/w/a":{}}}})"), "edit", ""));
}

TEST_CASE("acp: other words, another program and other content are not what was shown", "[cli]") {
    const auto runs = [](const char* program, Json words, const char* shown) {
        const auto deed = acp_deed(run(1, {{"command", program}, {"args", std::move(words)}}));
        return acp_covers({{"tool", "execute"}, {"args", {{"command", shown}}}}, *deed, "/w");
    };
    CHECK(runs("/bin/sh", Json::array({"-c", "make"}), "make"));
    CHECK_FALSE(runs("/tmp/sh", Json::array({"-c", "make"}), "make"));
    CHECK_FALSE(runs("x", Json::array({"-c", "make"}), "make"));
    CHECK(runs("rm", Json::array({"a b"}), "rm 'a b'"));
    CHECK_FALSE(runs("rm", Json::array({"a b"}), "rm a b"));
    const auto file = acp_deed(write(1, "/w/a"));  // "new"
    const AcpFile disk{false, "nxx"};
    const AcpFileNow now = [&disk]() -> const AcpFile& { return disk; };
    const auto writes = [&](const char* args, bool known = true) {
        return acp_covers({{"tool", "edit"}, {"args", parsed(args)}}, *file, "/w",
                          known ? now : AcpFileNow{});
    };
    CHECK(writes(R"({"path":"a","content":"new"})"));
    CHECK_FALSE(writes(R"({"path":"a","content":"ne"})"));
    CHECK_FALSE(writes(R"({"path":"a","content":"new","mode":"append"})"));
    CHECK_FALSE(writes(R"({"path":"a","new_string":"new"})"));
    CHECK(writes(R"({"path":"a","old_string":"xx","new_string":"ew"})"));
    CHECK_FALSE(writes(R"({"path":"a","old_string":"xx","new_string":"ew"})", false));
    CHECK(writes(R"({"diffs":[{"path":"a","old":"xx","new":"ew"},{"path":"b","new":"x"}]})"));
    CHECK_FALSE(
        writes(R"({"diffs":[{"path":"a","old":"xx","new":"ew"},{"path":"a","new":"new"}]})"));
    CHECK_FALSE(writes(R"({"diffs":[{"path":"a","new":"ew"}]})"));
    CHECK_FALSE(writes(R"({"diffs":[{"path":"a","old":"","new":"x"}]})"));
    CHECK_FALSE(writes(R"({"diffs":[{"path":"a","digest":"x"}]})"));
}

TEST_CASE("acp: the editor gets what was read of a deed, and nothing else", "[cli]") {
    // Some readers take the second for `params`, and `Args` for `args`.
    CHECK(acp_deed_line(parsed(R"({"params":{"sessionId":"s","path":"/w/ok","content":"ok","x":1,
              "_meta":{"a":1},"Content":null},"param\u017f":{"path":"/x"},"result":1,"id":1.5,
              "jsonrpc":"2.0","method":"fs/write_text_file"})")) ==
          R"({"id":1.5,"jsonrpc":"2.0","method":"fs/write_text_file","params":)"
          R"({"_meta":{"a":1},"content":"ok","path":"/w/ok","sessionId":"s","x":1}})");
    CHECK(
        acp_deed_line(parsed(R"({"params":{"command":"ls","args":["-n"],"Args":[],"cwd":null},
              "id":1,"method":"terminal/create"})")) ==
        R"({"id":1,"method":"terminal/create","params":{"args":["-n"],"command":"ls","cwd":null}})");
    CHECK(acp_deed_line(parsed(R"({"params":[1],"method":"fs/write_text_file"})")) ==
          R"({"method":"fs/write_text_file","params":{}})");
}

TEST_CASE("acp: a deed is passed only with the texts that the agent sent", "[cli]") {
    const auto exact = [](const std::string& content) {
        return acp_is_exact(
            parsed(R"({"method":"fs/write_text_file","params":{"content":)" + content + "}}"));
    };
    CHECK(exact(R"("\ud83d\ude00 \\ufdd0")"));
    CHECK_FALSE(exact(R"("a\ud83d b")"));
    CHECK_FALSE(exact("1e999"));
    CHECK_FALSE(exact(std::string(1'100, '[') + std::string(1'100, ']')));
}

TEST_CASE("acp: a request of the editor is awaited until the agent replies", "[cli]") {
    AcpObserver observer = at_work();
    CHECK(observer.awaits("1"));
    CHECK_FALSE(observer.awaits("2"));
    const auto over = observer.from_agent(headway::cli::acp_unread(1));
    CHECK(over.front().type == "error.reported");
    CHECK(over.back().kind == Kind::kIdle);
    CHECK_FALSE(observer.awaits("1"));
    CHECK_FALSE(observer.works("s"));
}

TEST_CASE("acp: a decision covers what was announced when it was asked for", "[cli]") {
    AcpObserver observer = at_work();
    observer.from_agent(begun_call("execute", {{"command", "ls"}}));
    observer.from_agent(permission(5));
    observer.allowed("s", "c");
    observer.from_agent(told({{"sessionUpdate", "tool_call_update"},
                              {"toolCallId", "c"},
                              {"rawInput", {{"command", "rm x"}}}}));
    CHECK(question_in(observer.from_agent(run(6, {{"command", "rm x"}}))) != nullptr);
    CHECK(observer.from_agent(run(7, {{"command", "ls"}})).empty());
}

TEST_CASE("acp: a call that is asked for again and allowed runs its command again", "[cli]") {
    AcpObserver observer = at_work();
    observer.from_agent(begun_call("execute", {{"command", "make"}}));
    for (const char* call : {"c", "c~2"}) {
        CHECK(question_in(observer.from_agent(permission(5)))->type == call);
        observer.allowed("s", call);
        CHECK(observer.from_agent(run(6, {{"command", "make"}})).empty());
        CHECK(question_in(observer.from_agent(run(7, {{"command", "make"}}))) != nullptr);
    }
}

TEST_CASE("acp: a command that was allowed and outlives its turn was not refused", "[cli]") {
    AcpObserver observer = at_work();
    const bool allowed = GENERATE(true, false);
    const auto asked = observer.from_agent(run(7, {{"command", "npm run dev"}}));
    if (allowed) observer.allowed("s", question_in(asked)->type);
    const auto over = observer.from_agent({{"id", 1}, {"result", {{"stopReason", "end_turn"}}}});
    REQUIRE(over[0].type == "tool.finished");
    CHECK(over[0].data["error"].text_of("class") == (allowed ? "cancelled" : "denied"));
}

TEST_CASE("acp gate: a deed goes to the editor if it is allowed, else its error to the agent",
          "[cli]") {
    AcpGate gate;
    const Json request = run(7, {{"command", "ls"}});
    AcpAction asking;
    asking.kind = Kind::kAsk;
    asking.request = "7";
    asking.deed = true;
    const auto put = gate.ask(asking, request, "the line");
    REQUIRE(put);
    CHECK_FALSE(gate.waits_for_editor(""));
    const std::string early = R"({"id":7,"result":{"terminalId":"t"}})";
    CHECK(gate.reply("7", early, parsed(early)).answer == AcpGate::Answer::kDrop);
    CHECK(gate.decide("7", put->serial, false) == "the line");
    CHECK(gate.reply("7", early, parsed(early)).answer == AcpGate::Answer::kPass);
    REQUIRE(gate.ask(asking, request, "the line"));
    const auto closed = gate.close("");
    REQUIRE(closed.size() == 1);
    CHECK(parsed(closed[0].line)["error"]["code"] == -32000);
}

TEST_CASE("acp: work in the background is seen, and ends at rest", "[cli]") {
    AcpObserver observer = at_work();
    observer.from_agent({{"id", 1}, {"result", {{"stopReason", "end_turn"}}}});
    observer.from_agent(begun_call("execute", {{"command", "make"}}));
    const auto over = observer.from_agent(told(
        {{"sessionUpdate", "tool_call_update"}, {"toolCallId", "c"}, {"status", "completed"}}));
    REQUIRE(over.size() == 3);
    CHECK((over[0].type == "tool.started" && over[1].type == "tool.finished"));
    CHECK(over[2].data.text_of("state") == "idle");
    observer.from_agent(told({{"sessionUpdate", "agent_message_chunk"},
                              {"content", {{"type", "text"}, {"text", "done"}}}}));
    CHECK(observer.start_calls().empty());
    CHECK(observer.has_begun());
    const auto words = observer.start_calls();
    REQUIRE(words.size() == 2);
    CHECK(words[0].data.text_of("text") == "done");
    CHECK_FALSE(observer.has_begun());
    // Shown again.
    observer.from_editor(of_session(2, "session/load", {{"cwd", "/w"}}));
    CHECK(observer.from_agent(begun_call("execute", {{"command", "make"}})).empty());
    CHECK_FALSE(observer.has_begun());
}

TEST_CASE("acp: a late update of a call that ended with its turn is no call", "[cli]") {
    AcpObserver observer = at_work();
    observer.from_agent(begun_call("execute", {{"command", "make"}}));
    observer.from_agent({{"id", 1}, {"result", {{"stopReason", "end_turn"}}}});
    for (const char* status : {"in_progress", "failed", "completed"})
        CHECK(observer
                  .from_agent(told({{"sessionUpdate", "tool_call_update"},
                                    {"toolCallId", "c"},
                                    {"status", status}}))
                  .empty());
    observer.start_calls();
    CHECK_FALSE(observer.works("s"));
    CHECK_FALSE(observer.has_begun());
}

TEST_CASE("acp: what a stopped session asks for outside of a turn is refused", "[cli]") {
    AcpObserver observer = at_work();
    observer.from_agent({{"id", 1}, {"result", {{"stopReason", "end_turn"}}}});
    CHECK_FALSE(observer.works("s"));
    observer.from_agent(begun_call("execute", {{"command", "make"}}));
    CHECK(observer.works("s"));
    observer.stopped("s");
    CHECK(question_in(observer.from_agent(run(6, {{"command", "ls"}})))->data.contains("refused"));
    observer.from_agent(told(
        {{"sessionUpdate", "tool_call_update"}, {"toolCallId", "c"}, {"status", "completed"}}));
    CHECK_FALSE(observer.works("s"));
    observer.stopped("s");
    CHECK(question_in(observer.from_agent(run(7, {{"command", "ls"}})))->data.contains("refused"));
}

TEST_CASE("acp: a session that asks its user outside of a turn does not rest", "[cli]") {
    AcpObserver observer = at_work();
    observer.from_agent({{"id", 1}, {"result", {{"stopReason", "end_turn"}}}});
    observer.from_agent(begun_call("execute", {{"command", "make"}}));
    observer.from_agent(of_session(7, "elicitation/create", {{"message", "Which one?"}}));
    const auto over = observer.from_agent(told(
        {{"sessionUpdate", "tool_call_update"}, {"toolCallId", "c"}, {"status", "completed"}}));
    CHECK(over.back().type == "tool.finished");
    const auto settled = observer.answered({{"id", 7}, {"result", {{"action", "accept"}}}});
    REQUIRE(settled.size() == 1);
    CHECK(settled[0].data.text_of("state") == "idle");
}

TEST_CASE("acp: an open question by another request is a wait for a person", "[cli]") {
    AcpObserver observer = at_work();
    const auto asked =
        observer.from_agent(of_session(7, "elicitation/create", {{"message", "Which one?"}}));
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].data.text_of("state") == "awaiting_permission");
    CHECK(asked[0].data.text_of("detail") == "Which one?");
    CHECK(observer.state("s").is_null());
    const auto settled = observer.answered({{"id", 7}, {"result", {{"action", "accept"}}}});
    REQUIRE(settled.size() == 1);
    CHECK(settled[0].kind == Kind::kSettled);
    CHECK(settled[0].data.text_of("state") == "processing_prompt");
    // Without a name of a session it is of the one at work; programs answer others at once.
    CHECK(observer.from_agent({{"id", 8}, {"method", "_x/ask"}}).empty());
    CHECK(observer.start_calls().empty());
    CHECK(observer.answered({{"id", 8}, {"result", nullptr}}).empty());
    observer.from_agent({{"id", 9}, {"method", "_x/ask"}});
    CHECK(observer.start_calls().empty());
    CHECK(observer.start_calls().size() == 1);
    CHECK(observer.from_agent(of_session(10, "fs/read_text_file", {{"path", "/a"}})).empty());
    CHECK_FALSE(observer.has_begun());
}
