// SPDX-License-Identifier: Apache-2.0
#include "core/state/completion.hpp"

#include <catch2/catch.hpp>

#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

Event reflection(std::string assessment) {
    Reflection data;
    data.assessment = std::move(assessment);
    return event(std::move(data));
}

Event beat_of(std::uint64_t iteration) {
    Heartbeat data;
    data.iteration = iteration;
    return event(std::move(data));
}

constexpr std::int64_t kInterval = 10'000;

}  // namespace

TEST_CASE("completion: task_complete ends the session one interval later", "[core]") {
    Story story;
    story.report(reflection("task_complete"), 1000);
    CHECK(says_complete(story.session.state()));
    CHECK(story.session.next_deadline(at(0)) == at(1000 + kInterval));
    story.tick(1000 + kInterval - 1);
    CHECK_FALSE(story.session.state().ended());
    story.tick(1000 + kInterval);
    CHECK(story.session.state().outcome == Outcome::kCompleted);
    CHECK(story.session.state().end_code == "task_complete");
    CHECK(story.verdict() == Verdict::kCompleted);
    CHECK(folded(story.events) == story.session.state());
}

TEST_CASE("completion: heartbeats do not postpone it, the action that goes with it does",
          "[core]") {
    Story story;
    story.report(beat_of(3), 0);
    story.report(reflection("task_complete"), 1000);
    story.report(beat_of(3), 9000);
    CHECK(completion_at(story.session.state(), at(0)) == at(1000 + kInterval));
    story.report(tool_started("c1"), 9500);
    CHECK(completion_at(story.session.state(), at(0)) == kNever);  // the action is in flight
    story.report(tool_finished("c1"), 60'000);
    CHECK(completion_at(story.session.state(), at(0)) ==
          at(60'000) + story.session.state().asked_interval);
}

TEST_CASE("completion: it does not happen while the agent still talks", "[core]") {
    Story story;
    story.report(reflection("task_complete"), 1000);
    Message last;
    last.role = "assistant";
    last.text = bounded_text("what was done, and how to try it");
    story.report(event(std::move(last)), 9000);
    CHECK(completion_at(story.session.state(), at(0)) ==
          at(9000) + story.session.state().asked_interval);
}

TEST_CASE("completion: an agent that continues withdraws the claim", "[core]") {
    Story story;
    story.report(beat_of(3), 0);
    story.report(reflection("task_complete"), 1000);
    SECTION("another reflection") {
        story.report(reflection("continue"), 2000);
    }
    SECTION("the next iteration") {
        story.report(beat_of(4), 2000);
    }
    SECTION("a second call") {
        story.report(tool_finished("c1"), 2000);
        REQUIRE(says_complete(story.session.state()));
        story.report(tool_finished("c2"), 3000);
    }
    SECTION("a new task of the user") {
        story.report(message("user"), 2000);
    }
    SECTION("a new phase") {
        story.report(phase_started("two"), 2000);
    }
    CHECK_FALSE(says_complete(story.session.state()));
    CHECK(completion_at(story.session.state(), at(0)) == kNever);
}

TEST_CASE("completion: the agent's own end comes first, with its result", "[core]") {
    Story story;
    story.report(reflection("task_complete"), 1000);
    story.report(ended(Outcome::kCompleted, "done"), 2000);
    CHECK(story.session.state().end_reason == "done");
    CHECK(story.tick(60'000).empty());
}

TEST_CASE("completion: attention gaps are not counted", "[core]") {
    Story story;
    story.report(reflection("task_complete"), 1000);
    CHECK(completion_at(story.session.state(), at(500'000)) == at(500'000 + kInterval));
}
