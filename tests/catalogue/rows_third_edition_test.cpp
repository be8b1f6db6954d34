// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Reports of the users of the first designs, by default and under their preset.

using namespace headway::tests::catalogue;
using headway::core::Directive;
using headway::core::DirectiveKind;
using headway::core::Outcome;
using headway::core::Verdict;

namespace {

// As the preset `first-designs` sets them.
constexpr std::string_view kPreset =
    R"({"profile":"strict","heartbeat_limit":5,"on_stuck":"stop","max_tool_failures":3,)"
    R"("detectors":[{"detector":"same_file_error","suspect":2,"stuck":3},)"
    R"({"detector":"tool_failures","suspect":3,"stuck":4},)"
    R"({"detector":"exact_repeat","suspect":4,"stuck":4}]})";

std::string better_test(int i) {
    return with(R"({"command":"go test ./...","passed":{},)", 10 + i) +
           with(R"("failed":{}})", 40 - i);
}

std::string bare_edit(std::string_view path) {
    return R"({"tool":"edit","ok":true,"target":")" + std::string{path} + R"("})";
}

bool must_stop(const Agent& agent) {
    const auto& all = agent.state().directives;
    return std::any_of(all.begin(), all.end(),
                       [](const Directive& one) { return one.kind == DirectiveKind::kStop; });
}

Call failing_edit(int attempt) {
    return edit("main.go", with("x := {}", attempt), "x := 0").fails("old_string not found");
}

}  // namespace

TEST_CASE("a command that repeats between better tests is work, however the tests are reported") {
    Agent agent{each_hook(), GENERATE(as<std::string_view>{}, "{}", kPreset)};
    for (int i = 1; i <= 8; ++i)
        agent.does(bash("make fix").result("fixed one problem"))
            .reports("test.result", better_test(i));
    expect_progress(agent);
}

TEST_CASE("two files edited by turns are work while the tests get better") {
    Agent agent{each_hook(), GENERATE(as<std::string_view>{}, "{}", kPreset)};
    const bool by_call = GENERATE(false, true);
    for (int i = 1; i <= 10; ++i) {
        agent.reports("tool.finished", bare_edit(i % 2 == 0 ? "a.go" : "a_test.go"));
        if (by_call)
            agent.does(bash("pytest").result(pytest_red(20 - i, 10 + i, "AssertionError: x")));
        else
            agent.reports("test.result", better_test(i));
    }
    expect_progress(agent);
}

TEST_CASE("edits of which only the path is known are no repeats") {
    Agent agent{Hook::kFinished, GENERATE(as<std::string_view>{}, "{}", kPreset)};
    SECTION("four of one file in a row") {
        for (int i = 0; i < 4; ++i)
            agent.reports("tool.finished", bare_edit("main.go"));
    }
    SECTION("a hundred of twenty-five files") {
        for (int i = 0; i < 100; ++i)
            agent.reports("tool.finished", bare_edit(with("src/f{}.go", i % 25)));
    }
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
    CHECK_FALSE(agent.ever(Verdict::kStuck));
}

TEST_CASE("without end they are one all the same") {
    Agent agent;
    for (int i = 0; i < 70; ++i)
        agent.reports("tool.finished", bare_edit("main.go"));
    expect_stuck(agent);
}

TEST_CASE("strict: two files edited by turns halt at the fourth, also by their paths alone") {
    Agent agent{Hook::kFinished, kPreset};
    for (const char* path : {"a.go", "b.go", "a.go"})
        agent.reports("tool.finished", bare_edit(path));
    CHECK_FALSE(must_stop(agent));
    agent.reports("tool.finished", bare_edit("b.go"));
    INFO(agent.trace());
    CHECK(must_stop(agent));
}

TEST_CASE("a slow model is slow in each state and phase in which it is asked") {
    Agent agent{each_hook(), GENERATE(as<std::string_view>{}, "{}", kPreset)};
    agent.does(read_file("a.py").result(source_of("a")));
    std::string beat = "{}";
    SECTION("it streams, as it says itself") {
        agent.reports("state.changed", R"({"state":"streaming_response"})");
    }
    SECTION("it plans") {
        beat = R"({"phase":"Planning"})";
    }
    SECTION("it reflects") {
        beat = R"({"phase":"Reflection"})";
    }
    for (int i = 0; i < 8; ++i)
        agent.beats(beat);
    expect_slow(agent);
}

TEST_CASE("beats after a message that is over are no slow model") {
    Agent agent{each_hook(), kPreset};
    agent.does(read_file("a.py").result(source_of("a"))).says("I will look at the parser now.");
    for (int i = 0; i < 6; ++i)
        agent.beats();
    INFO(agent.trace());
    CHECK(agent.verdict() == Verdict::kStuck);
}

TEST_CASE("strict: a stop for a loop is withdrawn by progress and by a new phase") {
    Agent agent{each_hook(), kPreset};
    for (int i = 1; i <= 3; ++i)
        agent.does(failing_edit(i));
    REQUIRE(must_stop(agent));
    SECTION("a file that was written") {
        agent.does(write_file("main.go", "package main"));
    }
    SECTION("a better test") {
        agent.reports("test.result", better_test(1)).reports("test.result", better_test(2));
    }
    SECTION("a phase") {
        agent.reports("phase.started", R"({"number":2,"name":"rewrite"})");
    }
    INFO(agent.trace());
    CHECK_FALSE(must_stop(agent));
    CHECK(agent.verdict() != Verdict::kStuck);
    for (int i = 1; i <= 3; ++i)
        agent.does(failing_edit(i));
    CHECK((must_stop(agent) || agent.state().ended()));  // the loop is back, so is the stop
}

TEST_CASE("balanced: a stop for a loop stays") {
    Agent agent{each_hook(), R"({"on_stuck":"stop"})"};
    for (int i = 1; i <= 12; ++i)
        agent.does(bash("make").result("nothing to be done for all, as before"));
    REQUIRE(must_stop(agent));
    agent.does(write_file("main.go", "package main"));
    CHECK(must_stop(agent));
}

TEST_CASE("strict: a phase is a fresh start") {
    Agent agent{each_hook(), kPreset};
    for (int phase = 1; phase <= 2; ++phase) {
        agent.reports("phase.started",
                      with(R"({"number":{},)", phase) + with(R"("name":"part {}"})", phase));
        agent.does(bash("make deploy").fails("deploy: target is locked by ann"))
            .does(bash("make deploy").fails("deploy: target is locked by ann"));
    }
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kStuck));
    CHECK_FALSE(must_stop(agent));
}

TEST_CASE("a tool that does not reach its target fails, in words as by its class") {
    const std::string_view policy = GENERATE(as<std::string_view>{}, "{}", kPreset);
    constexpr const char* kRefused =
        "curl: (7) Failed to connect to api port 80: Connection refused";
    Agent words{Hook::kFinished, policy};
    Agent typed{Hook::kFinished, policy};
    for (int i = 0; i < 12; ++i) {
        words.does(bash("curl http://api/x").fails(kRefused));
        typed.does(bash("curl http://api/x").fails(kRefused, "connection_refused"));
    }
    INFO(words.trace() << typed.trace());
    CHECK(words.verdict() == typed.verdict());
    REQUIRE(words.history().size() == typed.history().size());
    for (std::size_t i = 0; i < words.history().size(); ++i) {
        CHECK(words.history()[i].n == typed.history()[i].n);
        CHECK(words.history()[i].verdict == typed.history()[i].verdict);
    }
}

TEST_CASE("strict: the fourth failure of a tool ends the session, whatever the error") {
    Agent agent{Hook::kFinished, kPreset};
    const char* error = GENERATE("curl: (7) Failed to connect to api port 80: Connection refused",
                                 "HTTP 500 from the tool server", "429 Too Many Requests");
    for (int i = 0; i < 4; ++i)
        agent.does(call("web_fetch", with(R"({"url":"http://api/{}"})", i)).fails(error));
    INFO(agent.trace());
    REQUIRE(agent.state().ended());
    CHECK(agent.state().outcome == Outcome::kFailed);
    CHECK(agent.state().end_code == "tool_failures");
}
