// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/cli/lines/told.hpp"

// What real agents printed, cut to what a test needs; of cursor-agent, what its documentation
// shows.

using headway::tests::agent_fixture;
using headway::tests::Told;
using headway::tests::told_of;
using Events = std::vector<std::string>;

TEST_CASE("agent lines: Claude Code's calls, messages, tokens of all models and cost", "[cli]") {
    const Told told = told_of(agent_fixture("claude"));
    CHECK(told.events == Events{"at work: claude, model claude-sonnet-4-5"});
    CHECK(told.rest.empty());
    CHECK(told.tokens == 1'920);
    CHECK(told.cost == Approx(0.0096));
    CHECK(told.ok);
    CHECK(told.result == "All done.");
    CHECK(told.model == "claude-sonnet-4-5");
}

TEST_CASE("agent lines: a call that Claude Code was refused is denied, not failed", "[cli]") {
    CHECK(told_of(agent_fixture("claude_denied")).events == Events{});
}

TEST_CASE("agent lines: Qwen Code's lines are those of Claude Code", "[cli]") {
    const Told told = told_of(agent_fixture("qwen"));
    CHECK(told.events == Events{});
    CHECK(told.tokens == 1'080);
    CHECK(told.result == "All done.");
    const Told failed = told_of(agent_fixture("qwen_failed"));
    CHECK_FALSE(failed.ok);
    CHECK(failed.result == "[API Error: 400 bad thing]");
    CHECK(failed.tokens == 120);
}

TEST_CASE("agent lines: Codex's commands with their exit codes, and its tokens", "[cli]") {
    const Told told = told_of(agent_fixture("codex"));
    CHECK(told.events == Events{});
    CHECK(told.tokens == 1'320);
    CHECK(told.ok);
    CHECK(told.result == "All done.");
}

TEST_CASE("agent lines: each change of a file by Codex is a new content", "[cli]") {
    const Told told = told_of(agent_fixture("codex_patch"));
    REQUIRE(told.whole.size() == 3);
    const auto& mutated = std::as_const(told.whole[2].data)["mutated"];
    REQUIRE(mutated.size() == 2);
    CHECK(mutated[0].text_of("path") == "/work/work-run3/a.txt");
    CHECK(mutated[0].text_of("digest") == "codex:item_6");
}

TEST_CASE("agent lines: a turn of Codex that failed is a result", "[cli]") {
    const Told told = told_of(agent_fixture("codex_failed"));
    CHECK_FALSE(told.ok);
    CHECK_THAT(told.result, Catch::Contains("bad thing"));
    CHECK(told.events.back() == "error.reported");
}

TEST_CASE("agent lines: Gemini CLI's calls, and its messages put together", "[cli]") {
    const Told told = told_of(agent_fixture("gemini"));
    CHECK(told.events == Events{});
    CHECK(told.tokens == 1'080);
    CHECK(told.model == "gemini-2.5-pro");
    CHECK(told.result == "All done.");
    const Told failed = told_of(agent_fixture("gemini_failed"));
    CHECK_FALSE(failed.ok);
    CHECK_THAT(failed.result, Catch::Contains("bad thing"));
}

TEST_CASE("agent lines: opencode and Kilo tell a call in one line, and tokens by step", "[cli]") {
    const Told told = told_of(agent_fixture("opencode"));
    CHECK(told.events == Events{});
    CHECK(told.tokens == 120);
    const Told kilo = told_of(agent_fixture("kilo"));
    CHECK(kilo.events == Events{});
    CHECK(kilo.tokens == 240);
    CHECK(kilo.ok);
    CHECK(kilo.result == "All done.");
    const Told aborted = told_of(agent_fixture("opencode_aborted"));
    CHECK_FALSE(aborted.ok);
    CHECK(aborted.result == "Aborted");
}

TEST_CASE("agent lines: pi's calls, tokens and last message", "[cli]") {
    const Told told = told_of(agent_fixture("pi"));
    CHECK(told.events == Events{});
    CHECK(told.tokens == 480);
    CHECK(told.result == "All done.");
}

TEST_CASE("agent lines: Copilot CLI's calls with the exit codes of commands", "[cli]") {
    const Told told = told_of(agent_fixture("copilot"));
    CHECK(Events(told.events.begin(), told.events.begin() + 9) == Events{});
    CHECK(told.ok);
    CHECK(told.model == "gpt-4.1");
    CHECK(told.rest.empty());
}

TEST_CASE("agent lines: cursor-agent's calls are named after their kind", "[cli]") {
    const Told told = told_of(agent_fixture("cursor"));
    CHECK(told.events == Events{});
    CHECK(told.result == "It has one line.");
    CHECK(told.model == "Claude 4 Sonnet");
}
