// SPDX-License-Identifier: Apache-2.0
#include "cli/lines/agent_lines.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/cli/lines/told.hpp"

using headway::cli::AgentLines;
using headway::cli::Json;
using headway::cli::LineEvent;
using headway::cli::OutputLines;
using headway::tests::agent_fixture;
using headway::tests::Told;
using headway::tests::told_of;
using Events = std::vector<std::string>;

namespace {

const std::string kThread = R"({"type":"thread.started","thread_id":"t"})"
                            "\n";

std::string started(const std::string& id, const std::string& command) {
    return R"({"type":"item.started","item":{"id":")" + id +
           R"(","type":"command_execution","command":")" + command + "\"}}\n";
}

std::string finished(const std::string& id, const std::string& output) {
    return R"({"type":"item.completed","item":{"id":")" + id +
           R"(","type":"command_execution","command":"c","aggregated_output":")" + output +
           "\",\"exit_code\":0}}\n";
}

}  // namespace

TEST_CASE("agent lines: whatever the pieces of a pipe, the same events come", "[cli]") {
    for (const char* name : {"claude", "codex", "gemini", "kilo"}) {
        const std::string output = "before\n" + agent_fixture(name) + "after\n";
        const Told whole = told_of(output, output.size());
        CHECK(told_of(output, 1).events == whole.events);
        CHECK(told_of(output, 4'096).events == whole.events);
        CHECK(whole.rest == "before\nafter");
    }
}

TEST_CASE("agent lines: JSON of other programs is ordinary output", "[cli]") {
    const std::string output =
        "{\"type\":\"turn.started\"}\n{\"type\":\"error\",\"message\":\"x\"}\n"
        "{\"level\":\"info\"}\n{\"type\":\"message\",\"role\":\"user\",\"content\":\"x\"}\n{\n}\n"
        "{broken\n{\"type\":\"turn_start\"}";
    const Told advice = told_of(output);
    CHECK(advice.events.empty());
    CHECK(advice.rest == output);
}

TEST_CASE("agent lines: what other programs could print is taken once a format has begun",
          "[cli]") {
    const Told advice = told_of(kThread + R"({"type":"error","message":"Reconnecting... 1/5"})");
    CHECK(advice.events == Events{"at work: codex", "error.reported"});
    CHECK(advice.rest.empty());
}

TEST_CASE("agent lines: several agents may write to one output", "[cli]") {
    const Told advice = told_of(agent_fixture("codex") + agent_fixture("claude"));
    CHECK(advice.tokens == 1'320 + 1'920);
    CHECK(advice.rest.empty());
}

TEST_CASE("agent lines: text is not held back until its line ends", "[cli]") {
    AgentLines lines([](const LineEvent&, bool) {});
    OutputLines rest;
    lines.feed("Continue? [y/N] ", rest);
    CHECK(rest.take(true) == "Continue? [y/N]");
}

TEST_CASE("agent lines: a line that is too long is ordinary output, and the next one is read",
          "[cli]") {
    const std::string output =
        kThread + finished("a", std::string(AgentLines::kLineBytesMax, 'x')) + started("b", "ls");
    const Told advice = told_of(output, 65'536);
    CHECK(advice.events == Events{"at work: codex", "started b shell"});
    CHECK_THAT(advice.rest, Catch::StartsWith("{\"type\":\"item.completed\""));
    CHECK(advice.rest.size() <= OutputLines::kLineBytesMax);
}

TEST_CASE("agent lines: an image that is too long for a line ends its call, and another text none",
          "[cli]") {
    const std::string about = R"("session_id":"c","uuid":"u")";
    const std::string call =
        R"({"type":"system","subtype":"init","model":"m",)" + about + "}\n" +
        R"({"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t1",)"
        R"("name":"Read","input":{"file_path":"a.png"}}]},)" +
        about + "}\n";
    const auto result = [&](const std::string& member, const std::string& content) {
        return R"({"type":"user","message":{"role":"user","content":[{")" + member +
               R"(":"t1","type":"tool_result","content":[)" + content +
               std::string(AgentLines::kLineBytesMax, 'x') + R"("}]}]},)" + about + "}\n";
    };
    const std::string end =
        R"({"type":"result","subtype":"success","is_error":false,"result":"done",)" + about + "}\n";
    const auto told = [&](const std::string& long_line) {
        return told_of(call + long_line + end, 65'536);
    };
    const std::string image = R"({"type":"image","source":{"type":"base64","data":")";
    const std::string begins = "at work: claude, model m";
    const Told read = told(result("tool_use_id", image));
    CHECK(read.events == std::vector<std::string>{begins, "started t1 Read", "ok t1 Read"});
    CHECK(read.rest.empty());
    CHECK(read.done);
    const Told other = told(result("tool_use_id", image + "other"));
    CHECK(read.whole.back().data["result_digest"] != other.whole.back().data["result_digest"]);
    const Told text = told(result("tool_use_id", R"({"type":"text","text":")"));
    CHECK(text.events == std::vector<std::string>{begins, "started t1 Read"});
    CHECK(text.done);
    CHECK_FALSE(told(result("parent_tool_use_id", image)).done);
}

TEST_CASE("agent lines: long results and arguments are cut, and equal ones have equal digests",
          "[cli]") {
    const std::string longer(100'000, 'x');
    const Told advice = told_of(kThread + started("a", longer) + finished("a", longer) +
                                    finished("b", longer) + finished("c", longer + "y"),
                                65'536);
    REQUIRE(advice.whole.size() == 5);
    const auto digest = [&advice](std::size_t at) {
        return advice.whole[at].data.text_of("result_digest");
    };
    CHECK_THAT(digest(2), Catch::StartsWith("sha256:"));
    CHECK(digest(2) == digest(3));
    CHECK(digest(2) != digest(4));
    const Json& call = advice.whole[1].data;
    CHECK_THAT(call.text_of("args_digest"), Catch::StartsWith("sha256:"));
    for (const LineEvent& event : advice.whole)
        CHECK(dump(event.data).size() < 40'000);
}

TEST_CASE("agent lines: deep and wide arguments stay what a daemon takes", "[cli]") {
    std::string args = "1";
    for (int i = 0; i < 500; ++i)
        args = "{\"a\":" + args + "}";
    std::string many = "{";
    for (int i = 0; i < 5'000; ++i)
        many += "\"" + std::to_string(i) + "\":[1,2,3],";
    many.back() = '}';
    const auto call = [](const std::string& with) {
        return R"({"type":"item.started","item":{"id":"a","type":"mcp_tool_call","server":"s\u0000","tool":"t","arguments":)" +
               with + "}}\n";
    };
    const Told advice = told_of(kThread + call(args) + call(many), 65'536);
    REQUIRE(advice.events.size() == 3);
    CHECK(advice.events[1] == "started a mcp__s__t");
    for (const LineEvent& event : advice.whole)
        CHECK(dump(event.data).size() < 40'000);
    CHECK(advice.whole[2].data["args"].size() <= 16);
}

TEST_CASE("agent lines: the call of the command itself is not for its output to end", "[cli]") {
    CHECK(told_of(kThread + finished("run", "x")).events == Events{"at work: codex"});
}

TEST_CASE("agent lines: a result without a start has its own words", "[cli]") {
    const std::string line =
        R"({"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"y"}]},"session_id":"s","uuid":"u"})";
    CHECK(told_of(line).events == Events{"ok x unknown"});
}

TEST_CASE("agent lines: open calls are bounded", "[cli]") {
    std::string output = kThread;
    for (std::size_t i = 0; i <= AgentLines::kOpenCallsMax; ++i)
        output += started("c" + std::to_string(i), "ls");
    CHECK(told_of(output, 4'096).events.size() == AgentLines::kOpenCallsMax + 2);
}

TEST_CASE("agent lines: a flood of events is counted, not told", "[cli]") {
    std::size_t reported = 0;
    std::string last;
    AgentLines lines([&](const LineEvent& event, bool) {
        ++reported;
        last = event.data.text_of("text");
    });
    OutputLines rest;
    lines.feed(kThread, rest);
    for (std::size_t i = 0; i < 2 * AgentLines::kEventsPerSecondMax; ++i)
        lines.feed(started("c", "ls"), rest);
    CHECK(reported == AgentLines::kEventsPerSecondMax + 1);
    lines.tick();
    CHECK(last == "[500 events of the agent's lines left out]");
    lines.feed(finished("c", "x"), rest);
    CHECK(reported == AgentLines::kEventsPerSecondMax + 3);
}

TEST_CASE("agent lines: a flood of messages hides no call, no tokens and no cost", "[cli]") {
    std::uint64_t tokens = 0;
    double cost = 0;
    std::size_t calls = 0;
    std::size_t reports = 0;
    AgentLines lines([&](const LineEvent& event, bool) {
        ++reports;
        tokens += event.data["usage"].count_of("input_tokens");
        cost += event.data["usage"]["cost_usd"].number();
        if (event.type.starts_with("tool.")) ++calls;
    });
    OutputLines rest;
    const auto line = [](const std::string& members) {
        return "{" + members + R"(,"session_id":"s","uuid":"u"})" + "\n";
    };
    for (std::size_t i = 0; i < 600; ++i) {
        lines.feed(line(R"("type":"assistant","message":{"id":"m)" + std::to_string(i) +
                        R"(","model":"a","usage":{"input_tokens":10},"content":[{"type":"text",)"
                        R"("text":"noise"}]})"),
                   rest);
    }
    lines.feed(line(R"("type":"assistant","message":{"id":"c","content":[{"type":"tool_use",)"
                    R"("id":"t","name":"Bash","input":{"command":"ls"}}]})"),
               rest);
    CHECK(calls == 1);
    CHECK(tokens < 6'000);
    lines.feed(line(R"("type":"result","total_cost_usd":5.0,"usage":{"input_tokens":6500})"), rest);
    const std::size_t before = reports;
    lines.finish(rest);
    CHECK(tokens == 6'500);
    CHECK(cost == Approx(5.0));
    CHECK(reports <= before + 3);  // by model
    lines.tick();
    CHECK(tokens == 6'500);
}

TEST_CASE("agent lines: tokens are told by the hooks as well where these say them", "[cli]") {
    const auto hooks_tell_tokens = [](const std::string& output) {
        bool tell = false;
        AgentLines lines([&tell](const LineEvent& event, bool hooks_tell) {
            if (event.type == "heartbeat") tell = hooks_tell;
        });
        OutputLines rest;
        lines.feed(output, rest);
        return tell;
    };
    CHECK_FALSE(hooks_tell_tokens(agent_fixture("claude")));
    CHECK(hooks_tell_tokens(agent_fixture("codex")));
    CHECK(hooks_tell_tokens(agent_fixture("gemini")));
    CHECK(hooks_tell_tokens(agent_fixture("opencode")));
}

TEST_CASE("agent lines: no hook tells when the provider accepts requests again", "[cli]") {
    const auto hooks_tell = [](const std::string& output) {
        bool tell = true;
        AgentLines lines([&tell](const LineEvent& event, bool hooks) {
            if (event.type == "error.reported") tell = hooks;
        });
        OutputLines rest;
        lines.feed(output + "\n", rest);
        return tell;
    };
    const std::string limit =
        R"({"type":"rate_limit_event","session_id":"s","uuid":"u","rate_limit_info":{"status":)"
        R"("rejected","resetsAt":1795747976}})";
    CHECK_FALSE(hooks_tell(limit));
    CHECK(hooks_tell(
        R"({"type":"assistant","session_id":"s","uuid":"u","error":"billing_error","message":{}})"));
    CHECK_FALSE(hooks_tell(kThread + R"({"type":"turn.failed","error":{"message":"no"}})"));
    CHECK(hooks_tell(R"({"type":"session.error","id":"1","timestamp":"t","parentId":null,"data":)"
                     R"({"errorType":"authentication","statusCode":401,"message":"no"}})"));
}

TEST_CASE("agent lines: a command of Codex without an exit code is no success", "[cli]") {
    const Told told = told_of(kThread + started("a", "make") +
                                  R"({"type":"item.completed","item":{"id":"a","type":)"
                                  R"("command_execution","command":"make","exit_code":null,)"
                                  R"("status":"completed"}})"
                                  "\n",
                              4'096);
    REQUIRE_FALSE(told.events.empty());
    CHECK(told.events.back().starts_with("failed"));
}
