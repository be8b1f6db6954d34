// SPDX-License-Identifier: Apache-2.0
#include "api/judge/judge_transcript.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "tests/support/make.hpp"

using namespace headway;
using namespace headway::api;

namespace {

core::Json parsed_args(std::string text) {
    core::Json json;
    static_cast<core::Text&>(json) = core::bounded_text(std::move(text));
    return json;
}

core::ToolFinished call(std::string args, std::string result) {
    core::ToolFinished finished;
    finished.tool = "bash";
    finished.args = parsed_args(std::move(args));
    finished.result = parsed_args(std::move(result));
    return finished;
}

template <class... Payloads>
std::vector<core::Event> numbered(Payloads... payloads) {
    std::vector<core::Event> events{tests::event(std::move(payloads))...};
    for (std::size_t i = 0; i < events.size(); ++i)
        events[i].n = i + 1;
    return events;
}

}  // namespace

TEST_CASE("judge transcript: a call is one line with what was new and what came back", "[api]") {
    core::ToolFinished first = call(R"({"cmd":"make","dir":"/w"})", R"("built\nall of it")");
    first.target = "/w";
    first.mutated = {{"a.o", "1"}, {"b.o", "2"}};
    core::ToolFinished second = call(R"({"cmd":"make test","dir":"/w"})", "");
    second.ok = false;
    second.error = core::ToolError{"exit", core::bounded_text("2 failed")};
    const Transcript got = transcript_of(numbered(first, second));
    REQUIRE(got.lines.size() == 2);
    CHECK(got.lines[0].n == 1);
    CHECK(got.lines[0].text ==
          "call bash on /w; args: \"cmd\":\"make\", \"dir\":\"/w\" -> ok: built all of it "
          "[changed a.o, b.o]");
    CHECK(got.lines[1].text ==
          "call bash; args: \"cmd\":\"make test\" (1 more as in its last use) -> error exit: "
          "2 failed");
    CHECK(got.changed == std::vector<std::string>{"a.o", "b.o"});
}

TEST_CASE("judge transcript: equal calls say whether the answer was the same", "[api]") {
    core::ToolFinished one = call("{}", "\"1\"");
    one.fingerprint = core::CallFingerprint{};
    one.fingerprint->question = {1, 1};
    one.fingerprint->outcome = {2, 2};
    core::ToolFinished other = one;
    other.fingerprint->outcome = {3, 3};
    const Transcript got = transcript_of(numbered(one, one, other, one));
    CHECK_THAT(got.lines[0].text, !Catch::Contains("answer"));
    CHECK_THAT(got.lines[1].text, Catch::EndsWith(" [same answer]"));
    CHECK_THAT(got.lines[2].text, Catch::EndsWith(" [another answer]"));
    CHECK_THAT(got.lines[3].text, Catch::EndsWith(" [another answer]"));
}

TEST_CASE("judge transcript: of a long output the start and the end are shown", "[api]") {
    const core::ToolFinished big =
        call("{}", "\"" + std::string(9000, 'a') + std::string(9000, 'z') + "\"");
    const Transcript got = transcript_of(numbered(big));
    CHECK(got.lines[0].text.size() < 600);
    CHECK_THAT(got.lines[0].text, Catch::Contains(std::string(190, 'a')));
    CHECK_THAT(got.lines[0].text, Catch::Contains(std::string(190, 'z')));
    CHECK_THAT(got.lines[0].text, Catch::Contains("…"));
}

TEST_CASE("judge transcript: twenty rounds, and the lines before them counted", "[api]") {
    std::vector<core::Event> events;
    for (std::uint64_t i = 0; i < 25; ++i) {
        core::ToolFinished one = call("{}", "\"1\"");
        one.round = i / 2;  // two calls a round: 13 rounds
        events.push_back(tests::event(one));
        events.back().n = i + 1;
    }
    CHECK(transcript_of(events).lines.size() == 25);
    CHECK(transcript_of(events).left_out == 0);
    for (core::Event& event : events)
        std::get<core::ToolFinished>(event.payload).round.reset();  // 25 rounds
    const Transcript got = transcript_of(events);
    CHECK(got.lines.size() == core::limits::kJudgeRoundsMax);
    CHECK(got.left_out == 5);
    CHECK(got.lines.front().n == 6);
}

TEST_CASE("judge transcript: what lies between the calls, but no beats and no hooks", "[api]") {
    core::Message message;
    message.role = "assistant";
    message.text = core::bounded_text("I will\ntry again");
    core::Reflection reflection;
    reflection.assessment = "stuck";
    reflection.confidence = 0.25;
    reflection.text = core::bounded_text("odd");
    core::TestResult result;
    result.command = "ctest";
    result.passed = 3;
    result.failed = 1;
    result.failures = {"a.b"};
    core::ErrorReported error;
    error.error_class = "api";
    error.status = 503;
    error.message = core::bounded_text("busy");
    core::ToolFinished hook = call("{}", "\"1\"");
    hook.origin = "hook";
    const Transcript got =
        transcript_of(numbered(message, core::Heartbeat{}, reflection, result, error, hook));
    REQUIRE(got.lines.size() == 4);
    CHECK(got.lines[0].text == "message of assistant: I will try again");
    CHECK(got.lines[1].text == "reflection, stuck, confidence 0.25: odd");
    CHECK(got.lines[2].text == "tests ctest, passed 3, failed 1: a.b");
    CHECK(got.lines[3].text == "error api, status 503: busy");
    CHECK(got.lines[3].n == 5);
}

TEST_CASE("judge transcript: changed files are the last ones, each once", "[api]") {
    std::vector<core::Event> events;
    for (int i = 0; i < 30; ++i) {
        core::ToolFinished one = call("{}", "\"1\"");
        one.mutated = {{"f" + std::to_string(i % 25), std::to_string(i)}};
        events.push_back(tests::event(one));
    }
    const Transcript got = transcript_of(events);
    CHECK(got.changed.size() == core::limits::kJudgeFilesMax);
    CHECK(got.changed.back() == "f4");
    CHECK(got.changed.front() == "f10");
}

TEST_CASE("judge transcript: the latest of each kind is what an estimate rests on", "[api]") {
    core::Message agent;
    agent.role = "assistant";
    agent.text = core::bounded_text("done soon");
    core::Message user;
    user.role = "user";
    user.text = core::bounded_text("go on");
    const Latest got = latest_of(numbered(call("{}", "\"1\""), agent, user, call("{}", "\"2\"")));
    CHECK(got.call.n == 4);
    CHECK_THAT(got.call.text, Catch::EndsWith("-> ok: 2"));
    CHECK(got.message.n == 2);
    CHECK(got.reflection.n == 0);
}
