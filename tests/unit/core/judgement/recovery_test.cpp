// SPDX-License-Identifier: Apache-2.0
#include "core/judgement/recovery.hpp"

#include <catch2/catch.hpp>

#include "tests/support/make.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

std::vector<Event> note(Story& story, ProgressEstimated estimate, std::int64_t ms) {
    estimate.judge = "local";
    std::vector<Event> out;
    story.session.note_estimate(std::move(estimate), context(ms), out);
    return out;
}

ProgressEstimated blocked_by(std::vector<std::string> blockers) {
    ProgressEstimated estimate;
    estimate.percent = 20;
    estimate.blockers = std::move(blockers);
    return estimate;
}

std::string last_advice(const Story& story) {
    const auto& directives = story.session.state().directives;
    return directives.empty() ? std::string{} : directives.back().reason;
}

void fail(Story& story, std::int64_t ms, const std::string& words) {
    Event event = tool_finished("c" + std::to_string(ms), false);
    auto& finished = std::get<ToolFinished>(event.payload);
    finished.args.kept = "{\"q\":" + std::to_string(ms) + "}";
    finished.error = ToolError{"", bounded_text(words)};
    story.report(std::move(event), ms);
}

}  // namespace

TEST_CASE("recovery: the way out follows from the blocker and the last failure", "[core]") {
    using F = FailureKind;
    struct Case {
        F blocker;
        F failure;
        WayOut way;
    };
    const Case cases[] = {
        {F::kNone, F::kAuth, WayOut::kEscalate},
        {F::kNone, F::kUnknownTool, WayOut::kOtherTool},
        {F::kNone, F::kContext, WayOut::kCompact},
        {F::kNone, F::kNotFound, WayOut::kNone},
        {F::kNone, F::kTransient, WayOut::kNone},
        {F::kAuth, F::kNone, WayOut::kEscalate},
        {F::kAuth, F::kNotFound, WayOut::kEscalate},
        {F::kNotFound, F::kAuth, WayOut::kEscalate},
        {F::kUnknownTool, F::kNone, WayOut::kOtherTool},
        {F::kTransient, F::kOther, WayOut::kOtherTool},
        {F::kTransient, F::kTransient, WayOut::kGiveUp},
        {F::kContext, F::kNone, WayOut::kCompact},
        {F::kNotFound, F::kNone, WayOut::kRephrase},
        {F::kMismatch, F::kMismatch, WayOut::kRephrase},
        {F::kTruncated, F::kNone, WayOut::kRephrase},
        {F::kOther, F::kUnknownTool, WayOut::kOtherTool},
        {F::kOther, F::kTransient, WayOut::kOtherTool},
        {F::kOther, F::kNotFound, WayOut::kRephrase},
        {F::kOther, F::kContext, WayOut::kCompact},
        {F::kOther, F::kAssertion, WayOut::kNone},
        {F::kAssertion, F::kNone, WayOut::kNone},
        {F::kOther, F::kNone, WayOut::kEscalate},
        {F::kOther, F::kOther, WayOut::kEscalate},
    };
    for (const Case& one : cases) {
        INFO(name_of(one.blocker) << " and " << name_of(one.failure));
        CHECK(way_out(one.blocker, one.failure) == one.way);
    }
}

TEST_CASE("recovery: a judge's blockers choose the advice's second sentence, without quotes",
          "[core]") {
    Story story;
    fail(story, 1, "something odd");
    note(story, blocked_by({"HTTP 401 SECRETWORD at the vault"}), 2);
    for (std::int64_t ms = 3; ms < 20 && last_advice(story).empty(); ++ms)
        fail(story, ms, "something odd SECRETARG");
    const std::string advice = last_advice(story);
    const std::size_t first = advice.find(". ");
    REQUIRE(first != std::string::npos);
    CHECK(advice.substr(first + 2).starts_with("It seems to need somebody else"));
    CHECK(advice.find("SECRET") == std::string::npos);
}

TEST_CASE("recovery: blockers end with hard progress or with an estimate that names none",
          "[core]") {
    Story story;
    note(story, blocked_by({"permission denied"}), 1);
    REQUIRE(way_out(story.session.state()) == WayOut::kEscalate);
    SECTION("hard progress") {
        story.report(tool_finished("c1"), 2);
        story.report(tool_finished("c2"), 3);
    }
    SECTION("another estimate") {
        note(story, blocked_by({}), 2);
    }
    CHECK(way_out(story.session.state()) == WayOut::kNone);
}

TEST_CASE("recovery: an agent's own blockers choose the way, and a full context needs no person",
          "[core]") {
    for (const auto& [words, way] : {std::pair{"permission denied", WayOut::kEscalate},
                                     std::pair{"context length exceeded", WayOut::kCompact},
                                     std::pair{"unknown tool fs:read", WayOut::kOtherTool}}) {
        Story story;
        story.report(event(blocked_by({words})), 1);
        CHECK(way_out(story.session.state()) == way);
        story.report(event(blocked_by({})), 2);
        CHECK(way_out(story.session.state()) == WayOut::kNone);
    }
}

TEST_CASE("recovery: the class of a reported error chooses the way out", "[core]") {
    Story story;
    ErrorReported error;
    error.error_class = "context_length";
    error.message = bounded_text("too long");
    story.report(event(error), 1);
    CHECK(way_out(story.session.state()) == WayOut::kCompact);
}

TEST_CASE("recovery: neither a fallback nor the agent changes a judge's blockers", "[core]") {
    Story story;
    note(story, blocked_by({"permission denied"}), 1);
    ProgressEstimated fine;
    fine.percent = 90;
    story.report(event(fine), 2);
    CHECK(way_out(story.session.state()) == WayOut::kEscalate);
    note(story, blocked_by({"permission denied"}), 2);
    note(story, fallback_estimate(story.session.state(), "x"), 3);
    CHECK(way_out(story.session.state()) == WayOut::kEscalate);
}
