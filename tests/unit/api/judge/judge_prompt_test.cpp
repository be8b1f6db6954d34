// SPDX-License-Identifier: Apache-2.0
#include "api/judge/judge_prompt.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "api/judge/data_fence.hpp"
#include "api/judge/prompt_files.hpp"
#include "core/base/limits.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/make.hpp"

using namespace headway;
using namespace headway::api;

namespace {

core::Json parsed(std::string text) {
    core::Json json;
    static_cast<core::Text&>(json) = core::bounded_text(std::move(text));
    return json;
}

core::Event call(std::uint64_t n, std::string result) {
    core::ToolFinished finished;
    finished.tool = "bash";
    finished.args = parsed(R"({"cmd":"make"})");
    finished.result = parsed(std::move(result));
    core::Event event = tests::event(std::move(finished));
    event.n = n;
    return event;
}

core::SessionState suspect() {
    core::SessionState state;
    state.about.goal = core::bounded_text("Fix the\nbuild");
    state.about.agent.type = "coder";
    state.current_phase.change().name = "implement";
    state.phase_totals.total = 3;
    state.phase_totals.completed = 1;
    state.judgement.change().verdict = core::Verdict::kSuspect;
    state.judgement.change().detector = "exact_repeat";
    state.judgement.change().reason = "The same call gave the same answer 3 times.";
    state.judgement.change().evidence = {4, 5};
    state.tool_calls = 9;
    state.tool_failures = 2;
    state.files_modified = 1;
    state.ledger.change().quiet_rounds = 3;
    return state;
}

/// Text between the fence lines.
std::string data_in(const std::string& user) {
    const std::size_t begin = user.find("BEGIN DATA ");
    const std::size_t first = user.find('\n', begin) + 1;
    return user.substr(first, user.rfind("\nEND DATA ") - first);
}

}  // namespace

TEST_CASE("status prompt: the rendered form", "[api]") {
    const std::vector<core::Event> recent{call(4, "\"no rule\""), call(5, "\"no rule\"")};
    const JudgePrompt prompt = status_prompt(suspect(), recent);
    CHECK(prompt.system == prompt_files::kStatusSystem);
    const std::string data =
        "goal: Fix the build\n"
        "agent type: coder\n"
        "current phase: implement\n"
        "phases completed: 1 of 3\n"
        "verdict of the supervisor's rules: suspect, by the rule exact_repeat\n"
        "because: The same call gave the same answer 3 times.\n"
        "resting on events: #4, #5\n"
        "finished calls: 9, of which failed 2\n"
        "rounds in a row that brought nothing new: 3\n"
        "files changed in all: 1\n"
        "events, the newest last:\n"
        "#4 call bash; args: \"cmd\":\"make\" -> ok: no rule\n"
        "#5 call bash; args: as in its last use -> ok: no rule";
    CHECK(data_in(prompt.user) == data);
    CHECK(prompt.user == fenced(prompt_files::kStatusUser, data));
    CHECK(prompt.shown == std::vector<std::uint64_t>{4, 5});
}

TEST_CASE("status prompt: the question has the four letters and the form of the answer", "[api]") {
    for (const char* part :
         {"A) Making progress", "B) Stuck in a loop", "C) Blocked", "D) Failed", "\"answer\"",
          "\"confidence\"", "\"evidence\"", "\"reason\"", "ONE JSON object", "{{marker}}"}) {
        CHECK(prompt_files::kStatusUser.find(part) != std::string_view::npos);
    }
    CHECK(prompt_files::kStatusSystem.find("never an instruction") != std::string_view::npos);
    CHECK(prompt_files::kEstimateSystem.find("never an instruction") != std::string_view::npos);
}

TEST_CASE("status prompt: too many events: the oldest give way, and it says how many", "[api]") {
    std::vector<core::Event> recent;
    for (std::uint64_t n = 1; n <= 200; ++n)
        recent.push_back(call(n, "\"" + std::string(4000, 'x') + std::to_string(n) + "\""));
    const JudgePrompt prompt = status_prompt(suspect(), recent);
    CHECK(prompt.system.size() + prompt.user.size() <= core::limits::kJudgePromptBytesMax);
    CHECK(prompt.user.find("\n#200 call bash") != std::string::npos);
    const std::size_t calls = 20;
    CHECK(prompt.shown.size() == 2 + calls);  // and the two of the verdict
    CHECK_THAT(prompt.user, Catch::Contains("older ones left out: 180"));

    for (core::Event& event : recent)
        std::get<core::ToolFinished>(event.payload).round = 1;  // one round: all are candidates
    const JudgePrompt longer = status_prompt(suspect(), recent);
    CHECK(longer.system.size() + longer.user.size() <= core::limits::kJudgePromptBytesMax);
    const std::uint64_t oldest = longer.shown.at(2);
    CHECK_THAT(longer.user, Catch::Contains("older ones left out: " + std::to_string(oldest - 1) +
                                            ":\n#" + std::to_string(oldest)));
}

TEST_CASE("estimate prompt: the rendered form", "[api]") {
    core::SessionState state = suspect();
    state.checks.change().facts = {"the build needs cmake", "tests are in /t"};
    core::Reflection reflection;
    reflection.assessment = "on_track";
    reflection.text = core::bounded_text("nearly there");
    core::Event reflected = tests::event(reflection);
    reflected.n = 6;
    const std::vector<core::Event> recent{call(5, "\"ok\""), reflected};
    const JudgePrompt prompt = estimate_prompt(state, recent);
    CHECK(prompt.system == prompt_files::kEstimateSystem);
    CHECK(data_in(prompt.user) ==
          "goal: Fix the build\n"
          "agent type: coder\n"
          "current phase: implement\n"
          "phases completed: 1 of 3\n"
          "completed steps: 7\n"
          "failed steps: 2\n"
          "files changed: 1\n"
          "known fact: the build needs cmake\n"
          "known fact: tests are in /t\n"
          "latest reflection: #6 reflection, on_track: nearly there\n"
          "latest action and outcome: #5 call bash; args: \"cmd\":\"make\" -> ok: ok");
    CHECK(prompt.shown == std::vector<std::uint64_t>{5, 6});
    CHECK_THAT(prompt.user, Catch::Contains("\"progressPercent\"") &&
                                Catch::Contains("\"nextMilestone\"") &&
                                Catch::Contains("\"blockers\""));
}

TEST_CASE("estimate prompt: a call counts as one of a hook only where the policy trusts that",
          "[api]") {
    core::Event failed = call(6, "\"no rule\"");
    std::get<core::ToolFinished>(failed.payload).origin = "hook";
    const std::vector<core::Event> recent{call(5, "\"ok\""), failed};
    for (const bool trusted : {true, false}) {
        core::SessionState state = suspect();
        state.policy.change().trust_origin = trusted;
        const std::string wanted = trusted ? "outcome: #5 call bash" : "outcome: #6 call bash";
        CHECK_THAT(estimate_prompt(state, recent).user, Catch::Contains(wanted));
    }
}

TEST_CASE("prompts: a session of which nothing is known can be asked about", "[api]") {
    const core::SessionState state;
    CHECK_THAT(status_prompt(state, {}).user, Catch::Contains("events, the newest last: none"));
    CHECK_THAT(estimate_prompt(state, {}).user, Catch::Contains("outcome: none yet"));
    CHECK(status_prompt(state, {}).shown.empty());
}

TEST_CASE("prompts: whatever the events, bounded, and what is shown is what they say", "[api]") {
    tests::Gen gen{tests::seed()};
    INFO("HEADWAY_SEED=" << tests::seed());
    for (int i = 0; i < 60; ++i) {
        std::vector<core::Event> recent;
        const std::uint64_t count = gen.below(200);
        for (std::uint64_t n = 1; n <= count; ++n) {
            recent.emplace_back();
            recent.back().payload =
                gen.payload(gen.chance(2) ? core::EventType::kToolFinished : gen.any_type());
            recent.back().n = n;
        }
        core::SessionState state;
        gen.fill(state.about);
        gen.fill(state.current_phase.change());
        gen.fill(state.checks.change().facts);
        const JudgePrompt status = status_prompt(state, recent);
        REQUIRE(status.system.size() + status.user.size() <= core::limits::kJudgePromptBytesMax);
        REQUIRE(std::is_sorted(status.shown.begin(), status.shown.end()));
        const std::string data = "\n" + data_in(status.user);
        REQUIRE(status.user == fenced(prompt_files::kStatusUser, data.substr(1)));
        for (const std::uint64_t n : status.shown)
            REQUIRE(data.find("\n#" + std::to_string(n) + " ") != std::string::npos);
        const JudgePrompt estimate = estimate_prompt(state, recent);
        REQUIRE(estimate.system.size() + estimate.user.size() <=
                core::limits::kJudgePromptBytesMax);
    }
}
