// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <catch2/catch.hpp>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// The strict profile: the literal rules of docs/first-designs.md, each at its count, and what they
// allow.

using namespace headway::tests::catalogue;
using headway::core::AgentState;
using headway::core::DirectiveKind;
using headway::core::Verdict;

namespace {

// As the preset `first-designs` sets them.
constexpr std::string_view kStrict =
    R"({"profile":"strict","detectors":[{"detector":"same_file_error","suspect":2,"stuck":3},)"
    R"({"detector":"tool_failures","suspect":3,"stuck":4}]})";

/// Not stuck so far; `last` makes it stuck with a stop directive.
template <class Last>
void expect_halts_with(Agent& agent, Last last) {
    {
        INFO(agent.trace());
        CHECK(agent.count(Verdict::kStuck) == 0);
        CHECK_FALSE(agent.was_told(DirectiveKind::kStop));
    }
    last();
    INFO(agent.trace());
    CHECK(agent.verdict() == Verdict::kStuck);
    CHECK(agent.was_told(DirectiveKind::kStop));
    CHECK(agent.state().agent_state == AgentState::kHalted);
}

Call failing_edit(std::string_view path, int attempt) {
    return edit(path, with("x := {}", attempt), "x := 0")
        .fails("old_string not found in " + std::string{path});
}

}  // namespace

TEST_CASE("strict: the third equal error of one file halts") {
    Agent agent{each_hook(), kStrict};
    agent.does(failing_edit("main.go", 1)).does(failing_edit("main.go", 2));
    expect_halts_with(agent, [&] { agent.does(failing_edit("main.go", 3)); });
}

TEST_CASE("strict: an edit that is reverted and repeated halts at the fourth") {
    Agent agent{each_hook(), kStrict};
    agent.does(edit("a.py", "one", "two"))
        .does(edit("a.py", "two", "one"))
        .does(edit("a.py", "one", "two"));
    expect_halts_with(agent, [&] { agent.does(edit("a.py", "two", "one")); });
}

TEST_CASE("strict: two alternating edits of two files halt at the fourth") {
    Agent agent{each_hook(), kStrict};
    const Call a = edit("a.py", "limit = 1", "limit = 2");
    const Call b = edit("b.py", "LIMIT = 2", "LIMIT = 1");
    agent.does(a).does(b).does(a);
    expect_halts_with(agent, [&] { agent.does(b); });
}

TEST_CASE("strict: the tenth action without progress halts") {
    Agent agent{each_hook(), kStrict};
    const std::string order =
        "abcde"
        "caebd"
        "becad";
    for (std::size_t i = 0; i + 1 < order.size(); ++i)
        agent.does(read_file(std::string{order[i]} + ".py").result(source_of({&order[i], 1})));
    expect_halts_with(agent, [&] { agent.does(read_file("d.py").result(source_of("d"))); });
}

TEST_CASE("strict: the fifth heartbeat without a state change halts") {
    Agent agent{each_hook(), kStrict};
    agent.does(read_file("a.py").result(source_of("a")));
    for (int beat = 1; beat <= 4; ++beat)
        agent.beats();
    expect_halts_with(agent, [&] { agent.beats(); });
}

TEST_CASE("strict: the third estimate within five points halts") {
    Agent agent{each_hook(), kStrict};
    agent.reports("progress.estimated", R"({"percent":40})")
        .reports("progress.estimated", R"({"percent":42})");
    expect_halts_with(agent, [&] { agent.reports("progress.estimated", R"({"percent":44})"); });
}

TEST_CASE("strict: the third equal message halts") {
    Agent agent{each_hook(), kStrict};
    SECTION("a sentence") {
        const char* words = "I will now look at the parser and fix the failing test.";
        agent.says(words).says(words);
        expect_halts_with(agent, [&] { agent.says(words); });
    }
    SECTION("a few words") {
        agent.says("Still working on it.").says("Still working on it.");
        expect_halts_with(agent, [&] { agent.says("Still working on it."); });
    }
}

TEST_CASE("strict: the fourth failure of one tool in a row halts") {
    Agent agent{each_hook(), kStrict};
    const std::array<const char*, 4> errors{"HTTP 404: no such page", "could not parse the answer",
                                            "the certificate has expired",
                                            "unsupported charset x-user"};
    const auto fetch = [&](int i) {
        agent.does(call("web_fetch", with(R"({"url":"https://host{}.example.com"})", i))
                       .fails(errors[static_cast<std::size_t>(i)]));
    };
    for (int i = 0; i < 3; ++i)
        fetch(i);
    expect_halts_with(agent, [&] { fetch(3); });
}

TEST_CASE("strict: a thousand productive calls over ten phases are never suspected") {
    Agent agent{each_hook(), kStrict};
    for (int phase = 0; phase < 10; ++phase) {
        agent.reports("phase.started", with(R"({"number":{},)", phase + 1) +
                                           with(R"("name":"part {}"})", phase + 1));
        for (int step = 0; step < 25; ++step) {
            const int unique = phase * 25 + step;
            agent.does(read_file(with("src/unit_{}.cpp", unique))
                           .result(source_of(with("unit{}", unique))));
            agent.does(
                edit(with("src/unit_{}.cpp", unique), "NULL", with("nullptr /* {} */", unique)));
            agent.does(write_file(with("tests/unit_{}_test.cpp", unique),
                                  with("TEST_CASE(\"unit {}\") {}", unique)));
            agent.does(bash("make test").result(pytest_green(100 + unique)));
        }
        agent.reports("phase.completed", with(R"({"name":"part {}","ok":true})", phase + 1));
    }
    expect_progress(agent);
}

TEST_CASE("strict: a session that recovers is no longer stuck") {
    Agent agent{each_hook(), kStrict};
    for (int attempt = 1; attempt <= 3; ++attempt)
        agent.does(failing_edit("main.go", attempt));
    CHECK(agent.verdict() == Verdict::kStuck);
    agent.does(write_file("main.go", "package main"));
    INFO(agent.trace());
    CHECK(agent.verdict() == Verdict::kProgressing);
}

TEST_CASE("strict: a new phase clears the errors of the last one") {
    Agent agent{each_hook(), kStrict};
    agent.reports("phase.started", R"({"name":"implementation"})");
    agent.does(failing_edit("main.go", 1)).does(failing_edit("main.go", 2));
    agent.reports("phase.started", R"({"name":"testing"})");
    agent.does(failing_edit("main.go", 3)).does(failing_edit("main.go", 4));
    expect_never_stuck(agent);
}

TEST_CASE("strict: unique edits and tests that pass are never suspected") {
    Agent agent{each_hook(), kStrict};
    for (int step = 0; step < 20; ++step) {
        agent.does(edit("src/app.py", with("# step {}", step), with("step_{}()", step)));
        agent.does(bash("pytest -q").result(with("{} passed in 0.41s", 20 + step)));
    }
    expect_progress(agent);
}
