// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/acp_observer.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/parsed.hpp"

using headway::cli::AcpAction;
using headway::cli::AcpObserver;
using headway::cli::Json;
using headway::tests::parsed;
using Kind = AcpAction::Kind;
using Said = std::vector<std::string>;

namespace {

std::string short_form(const AcpAction& action) {
    const Json& data = action.data;
    if (action.kind == Kind::kOpen) return "open " + data["agent"].text_of("name");
    if (action.kind == Kind::kIdle) return "over";
    if (action.kind == Kind::kCancel) return "cancel";
    if (action.kind == Kind::kAsk) {
        const std::string first = data.contains("started") ? "ask first " : "ask ";
        return first + data["hook"].text_of("tool") + " " + dump(data["hook"]["args"]);
    }
    if (action.type == "message") return data.text_of("role") + ": " + data.text_of("text");
    if (action.type == "state.changed") return data.text_of("state");
    if (action.type == "heartbeat") return dump(data["usage"]);
    if (action.type == "tool.started") return "started " + data.text_of("tool");
    if (action.type != "tool.finished") return action.type;
    const std::string result = data.flag_of("ok") ? "ok " : "failed ";
    return result + data.text_of("tool") + " " + dump(data["args"]);
}

/// Messages between real agents and a client, both directions in their order.
Said observed(const std::string& name) {
    const std::filesystem::path folder =
        std::filesystem::path{HEADWAY_SOURCE_DIR} / "tests/unit/cli/acp/fixtures";
    std::ifstream file{folder / (name + ".jsonl")};
    AcpObserver observer("agent");
    Said record;
    std::map<std::string, AcpAction> asked;
    for (std::string line; std::getline(file, line);) {
        Json message = parsed(line);
        const std::string from = std::as_const(message).text_of("dir");
        message.erase("dir");
        const bool editor = from == "client>agent" || from == "proxy>agent";
        if (std::as_const(message).text_of("method") != "session/request_permission") {
            while (observer.has_begun()) {
                for (const AcpAction& action : observer.start_calls())
                    record.push_back(short_form(action));
            }
        }
        const bool reply = editor && !message.contains("method") && message.contains("id");
        const auto allowed = reply ? asked.find(dump(message["id"])) : asked.end();
        if (allowed != asked.end() && headway::cli::acp_selects(message))
            observer.allowed(allowed->second.session, allowed->second.type);
        for (const AcpAction& action : reply    ? observer.answered(message)
                                       : editor ? observer.from_editor(message)
                                                : observer.from_agent(message)) {
            if (action.kind == Kind::kAsk) asked[action.request] = action;
            if (action.kind != Kind::kTurn) record.push_back(short_form(action));
        }
    }
    return record;
}

Json update(const std::string& fields) {
    return parsed(
        R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{)" +
        fields + "}}}");
}

Json prompt(int id) {
    return parsed(
        R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
        R"(,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"go"}]}})");
}

}  // namespace

TEST_CASE("acp: Gemini CLI announces a call that needs permission by asking only", "[cli]") {
    CHECK(
        observed("gemini") ==
        Said{
            "open gemini-cli", "idle", "user: do the scripted work", "assistant: Will do.",
            R"#(ask first execute {"text":"[current working directory /work] (x)","title":"touch made.txt"})#",
            R"#(ok execute {"text":"[current working directory /work] (x)","title":"touch made.txt"})#",
            "started edit", R"(failed edit {"path":"/home/dev/b.txt","title":"Writing to b.txt"})",
            "started execute",
            R"#(ok execute {"text":"[current working directory /work] (x)","title":"ls nonexistent"})#",
            "assistant: All done.", R"({"input_tokens":400,"output_tokens":80})", "idle", "over"});
    CHECK(
        observed("gemini_reject") ==
        Said{
            "open gemini-cli", "idle", "user: do the scripted work", "assistant: Will do.",
            R"#(ask first execute {"text":"[current working directory /work] (x)","title":"touch made.txt"})#",
            "started edit", R"(failed edit {"path":"/home/dev/b.txt","title":"Writing to b.txt"})",
            "started execute",
            R"#(ok execute {"text":"[current working directory /work] (x)","title":"ls nonexistent"})#",
            "assistant: All done.", R"({"input_tokens":400,"output_tokens":80})",
            R"#(failed execute {"text":"[current working directory /work] (x)","title":"touch made.txt"})#",
            "idle", "over"});
}

TEST_CASE("acp: Codex's calls are told without what no two of them share", "[cli]") {
    CHECK(
        observed("codex") ==
        Said{
            "open codex-acp", "idle", "user: do the scripted work", "assistant: Will do.",
            R"(ask first execute {"command":["/bin/bash","-lc","touch made.txt"],"cwd":"/home/dev","reason":"j"})",
            R"(ok execute {"command":["/bin/bash","-lc","touch made.txt"],"cwd":"/home/dev","reason":"j"})",
            R"(ask first edit {"auto_approved":false,"changes":{"/home/dev/b.txt":{"content":"new\n","type":"add"}}})",
            R"(ok edit {"auto_approved":false,"changes":{"/home/dev/b.txt":{"content":"new\n","type":"add"}}})",
            "started search", "assistant: All done.",
            R"(failed search {"command":["/bin/bash","-lc","ls nonexistent"],"cwd":"/home/dev"})",
            "idle", "over"});
    CHECK(
        observed("codex_cancelled") ==
        Said{
            "open codex-acp", "idle", "user: do the scripted work", "assistant: Will do.",
            R"(ask first execute {"command":["/bin/bash","-lc","touch made.txt"],"cwd":"/home/dev","reason":"j"})",
            "cancel",
            R"(ok execute {"command":["/bin/bash","-lc","touch made.txt"],"cwd":"/home/dev","reason":"j"})",
            "idle", "over"});
}

TEST_CASE("acp: Claude Code announces a call twice, and it starts once", "[cli]") {
    CHECK(observed("claude") ==
          Said{"open claude-code-acp", "idle", "user: do the scripted work", "assistant: Will do.",
               R"(ask first Bash {"command":"touch made.txt","description":"x"})",
               R"(ok Bash {"command":"touch made.txt","description":"x"})", "started Write",
               R"(failed Write {"content":"new\n","file_path":"/home/dev/b.txt"})", "started Bash",
               R"(failed Bash {"command":"ls nonexistent","description":"x"})",
               "assistant: All done.", "idle", "over"});
}

TEST_CASE("acp: opencode announces calls as begun, and asks for them in other words", "[cli]") {
    const Said record = observed("opencode");
    REQUIRE(record.size() == 14);
    CHECK(record[4] ==
          R"(ask first execute {"command":"touch made.txt","cwd":"/home/dev","description":"x"})");
    CHECK(record[5] ==
          R"(ok execute {"command":"touch made.txt","cwd":"/home/dev","description":"x"})");
    CHECK_THAT(record[6],
               Catch::StartsWith(R"(ask first edit {"content":"new\n","diff":"Index: )") &&
                   Catch::Contains(R"("filePath":)") && Catch::Contains(R"("filepath":)"));
    CHECK(record[7] == "ok" + record[6].substr(std::string{"ask first"}.size()));
    CHECK(record[8] == R"(ask first execute {"command":"ls nonexistent","cwd":"/home/dev"})");
    CHECK(record[9] == R"(failed execute {"command":"ls nonexistent","cwd":"/home/dev"})");
}

TEST_CASE("acp: Copilot CLI's calls", "[cli]") {
    const auto args = [](const std::string& command) {
        return R"(execute {"command":")" + command + R"(","commands":[")" + command +
               R"("],"description":")" + command + R"(","mode":"sync"})";
    };
    Said expected{"open copilot", "idle", "user: do the scripted work"};
    for (const char* command : {"echo one", "echo two", "touch made.txt"}) {
        expected.push_back("ask first " + args(command));
        expected.push_back("ok " + args(command));
    }
    for (const char* rest :
         {"assistant: All done.", R"({"input_tokens":400,"output_tokens":80})", "idle", "over"})
        expected.emplace_back(rest);
    CHECK(observed("copilot") == expected);
}

TEST_CASE("acp: a conversation that is shown again after a load is nothing new", "[cli]") {
    AcpObserver observer("agent");
    static_cast<void>(observer.from_editor(
        parsed(R"({"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/w"}})")));
    CHECK(
        observer
            .from_agent(update(
                R"("sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"old"})"))
            .empty());
    const auto opened = observer.from_agent(parsed(R"({"id":1,"result":{}})"));
    REQUIRE(opened.size() == 1);
    CHECK(opened[0].kind == Kind::kOpen);
    CHECK(opened[0].data["labels"].text_of("workspace") == "/w");
    const Json call = update(
        R"("sessionUpdate":"tool_call","toolCallId":"c","kind":"read","status":"completed")");
    CHECK(observer.from_agent(call).empty());
    static_cast<void>(observer.from_editor(prompt(2)));
    CHECK(observer.state("s").is_null());
    CHECK(observer.from_agent(call).size() == 2);
}

TEST_CASE("acp: a diff is what a call wrote", "[cli]") {
    AcpObserver observer("agent");
    static_cast<void>(observer.from_editor(prompt(1)));
    const auto update_events = observer.from_agent(update(
        R"("sessionUpdate":"tool_call","toolCallId":"c","kind":"edit","status":"completed","content":[{"type":"diff","path":"/w/a","oldText":null,"newText":"x"}])"));
    REQUIRE(update_events.size() == 2);
    const Json& file = update_events[1].data["mutated"][std::size_t{0}];
    CHECK(file.text_of("path") == "/w/a");
    CHECK_THAT(file.text_of("digest"), Catch::StartsWith("sha256:2d711642b726b044"));
}

TEST_CASE("acp: a turn that is over closes its calls, and its error is reported", "[cli]") {
    AcpObserver observer("agent");
    static_cast<void>(observer.from_editor(prompt(1)));
    static_cast<void>(observer.from_agent(update(
        R"("sessionUpdate":"tool_call","toolCallId":"c","kind":"execute","status":"in_progress")")));
    Said record;
    for (const auto& action :
         observer.from_agent(parsed(R"({"id":1,"error":{"code":-1,"message":"overloaded"}})")))
        record.push_back(short_form(action));
    CHECK(record ==
          Said{"started execute", "failed execute null", "error.reported", "idle", "over"});
    CHECK(observer.state("s").text_of("state") == "idle");
}

TEST_CASE("acp: sessions that rest make room for others, those at work do not", "[cli]") {
    AcpObserver observer("agent");
    const auto prompt_in = [&](int id, const std::string& session) {
        return observer.from_editor({{"id", id},
                                     {"method", "session/prompt"},
                                     {"params", {{"sessionId", session}, {"prompt", "go"}}}});
    };
    std::vector<std::string> left;
    for (int i = 0; i < 20; ++i) {
        const std::string id = std::to_string(i);
        static_cast<void>(observer.from_editor({{"id", i}, {"method", "session/new"}}));
        for (const AcpAction& action :
             observer.from_agent({{"id", i}, {"result", {{"sessionId", "n" + id}}}}))
            if (action.kind == Kind::kLeft) left.push_back(action.session);
        if (i == 0) static_cast<void>(prompt_in(100, "n0"));
    }
    CHECK(left == Said{"n1", "n2", "n3", "n4"});
    for (int i = 5; i < 20; ++i)
        static_cast<void>(prompt_in(100 + i, "n" + std::to_string(i)));
    CHECK(prompt_in(200, "n1").empty());
    static_cast<void>(observer.from_agent({{"id", 105}, {"result", Json::object()}}));
    const auto again = prompt_in(201, "n1");
    REQUIRE(again.size() == 4);
    CHECK((again[0].kind == Kind::kLeft && again[0].session == "n5"));
    CHECK((again[1].kind == Kind::kOpen && again[2].kind == Kind::kTurn));
}

TEST_CASE("acp: labels are as long as the daemon takes them", "[cli]") {
    const auto labels = [](const std::string& version, const std::string& cwd) {
        AcpObserver observer("agent");
        observer.from_editor(parsed(R"({"id":1,"method":"initialize"})"));
        observer.from_agent(
            {{"id", 1}, {"result", {{"agentInfo", {{"name", "a"}, {"version", version}}}}}});
        observer.from_editor({{"id", 2}, {"method", "session/new"}, {"params", {{"cwd", cwd}}}});
        const auto actions = observer.from_agent({{"id", 2}, {"result", {{"sessionId", "s"}}}});
        REQUIRE(!actions.empty());
        return dump(actions.front().data["labels"]);
    };
    CHECK(labels("1.2", "/home/dev") ==
          R"({"agent_version":"1.2","protocol":"acp","workspace":"/home/dev"})");
    CHECK(labels(std::string(1, '\0'), " \n") == R"({"protocol":"acp"})");
    const std::string deep = "/home/" + std::string(300, 'd');
    CHECK(labels("", deep) == R"({"protocol":"acp","workspace":")" + std::string(128, 'd') + "\"}");
    std::string wide = "/home/dev/";  // two bytes each, so that 128 from the end is inside of one
    for (int i = 0; i < 100; ++i)
        wide += "\xC3\xA9";
    const std::string cut = wide.substr(wide.size() - 126);
    CHECK(labels("", wide + "x") == R"({"protocol":"acp","workspace":")" + cut + "x\"}");
}

TEST_CASE("acp: names of nothing but NUL are none", "[cli]") {
    AcpObserver observer("agent");
    observer.from_editor(prompt(1));
    CHECK(observer.from_agent(update(R"("sessionUpdate":"tool_call","toolCallId":"\u0000")"))
              .empty());
    const auto actions = observer.from_agent(update(
        R"("sessionUpdate":"tool_call","toolCallId":"c\u0000","kind":"\u0000","status":"failed")"));
    REQUIRE(actions.size() == 2);
    CHECK(actions.front().data.text_of("call_id") == "c");
    CHECK(actions.front().data.text_of("tool") == "other");
}

TEST_CASE("acp: tokens that no agent can have used are left out", "[cli]") {
    AcpObserver observer("agent");
    observer.from_editor(prompt(1));
    for (
        const AcpAction& action : observer.from_agent(parsed(
            R"({"id":1,"result":{"usage":{"inputTokens":1e300,"outputTokens":18446744073709551615}}})")))
        CHECK(action.type != "heartbeat");
}

TEST_CASE("acp: what is no message of the protocol says nothing", "[cli]") {
    AcpObserver observer("agent");
    for (const char* text :
         {"{}", R"({"id":1})", R"({"method":1})", R"({"method":"session/update"})",
          R"({"method":"session/request_permission","params":{"sessionId":"s"}})",
          R"({"id":1,"result":{"sessionId":7}})"}) {
        CHECK(observer.from_agent(parsed(text)).empty());
        CHECK(observer.from_editor(parsed(text)).empty());
    }
}
