// SPDX-License-Identifier: Apache-2.0
#include "cli/views/timeline_view.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "tests/support/parsed.hpp"

using namespace headway::cli;
using headway::tests::parsed;

namespace {

Timeline stuck_timeline() {
    std::istringstream lines(
        R"({"type":"tool_call","tool":"bash","args":{"command":"make \u001b[2J"},"ts":5})"
        "\n"
        R"({"type":"heartbeat","note":"hm","ts":6})"
        "\n"
        R"({"type":"heartbeat","ts":7.5})"
        "\n");
    const auto recording = read_recording(lines, headway::cli::ReadFor::kJudgeAgain);
    REQUIRE(recording.has_value());
    const auto policy = policy_of({"strict", "heartbeat_limit=2"});
    JudgeOptions options;
    options.policy = *policy;
    options.keep_journal = true;
    headway::api::JsonDocument document;
    const auto timeline = judge_recording(*recording, options, document);
    REQUIRE(timeline.has_value());
    return *timeline;
}

Step nudge(std::uint64_t n) {
    headway::core::DirectiveIssued directive;
    directive.id = "d1";
    directive.kind = headway::core::DirectiveKind::kChangeApproach;
    directive.reason = "read the error";
    Step step;
    step.event.n = n;
    step.event.payload = directive;
    return step;
}

}  // namespace

TEST_CASE("timeline view: a line a step, in order", "[cli]") {
    Timeline timeline = stuck_timeline();
    timeline.directives = {nudge(4)};
    const std::string text = timeline_text("s", timeline, {});
    CHECK_THAT(text, Catch::StartsWith("s: 3 events, 1 call, stuck\n"));
    const std::size_t first = text.find("starting -> exploring");
    const std::size_t advice = text.find("told to change_approach: read the error");
    const std::size_t last = text.find("exploring -> stuck: 2 heartbeats");
    CHECK(first < advice);
    CHECK(advice < last);
    CHECK(last != std::string::npos);
    CHECK_THAT(text,
               Catch::Contains("line 3") && Catch::Contains("call 1") && Catch::Contains("+2.5s"));
    CHECK_THAT(text, !Catch::Contains("heartbeat_rule"));
}

TEST_CASE("timeline view: why names the rule and what each piece of evidence was", "[cli]") {
    TimelineStyle style;
    style.why = true;
    const std::string text = timeline_text("s", stuck_timeline(), style);
    CHECK_THAT(text, Catch::Contains("detector heartbeat_rule; evidence #4 #5"));
    CHECK_THAT(text, Catch::Contains("heartbeat: hm"));
    CHECK_THAT(text, Catch::Contains("tool.finished: bash ok"));
    CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("timeline view: a failed call as evidence names its target", "[cli]") {
    std::istringstream lines(
        R"({"type":"tool_call","tool":"edit","target":"a.py","args":{},"ok":false,"error":"no match"})"
        "\n");
    const auto recording = read_recording(lines, headway::cli::ReadFor::kJudgeAgain);
    REQUIRE(recording.has_value());
    JudgeOptions options;
    options.keep_journal = true;
    headway::api::JsonDocument document;
    const auto timeline = judge_recording(*recording, options, document);
    REQUIRE(timeline.has_value());
    TimelineStyle style;
    style.why = true;
    CHECK_THAT(timeline_text("s", *timeline, style),
               Catch::Contains("tool.finished: edit FAILED: no match (a.py)"));
    const Json why = timeline_json("s", *timeline, true)["timeline"][0]["why"][0];
    CHECK(why["ok"] == false);
    CHECK(why["target"] == "a.py");
}

TEST_CASE("timeline view: lines fit the terminal", "[cli]") {
    TimelineStyle style;
    style.why = true;
    style.width = 50;
    std::istringstream lines(timeline_text("s", stuck_timeline(), style));
    for (std::string line; std::getline(lines, line);)
        CHECK(line.size() <= 52);  // the ellipsis takes three bytes
}

TEST_CASE("timeline view: JSON has all the fields of a step and where it is", "[cli]") {
    Timeline timeline = stuck_timeline();
    timeline.directives = {nudge(7)};
    const Json result = timeline_json("s", timeline, true);
    CHECK(result["verdict"] == "stuck");
    REQUIRE(result["timeline"].size() == 2);
    Json step = result["timeline"][1];
    CHECK(step["why"].size() == 2);
    CHECK(step["why"][0]["type"] == "heartbeat");
    CHECK(step["why"][0]["line"] == 2);
    step.erase("why");
    step.erase("reason");
    step.erase("confidence");
    step.erase("loop");
    CHECK(
        step ==
        parsed(
            R"({"n":6,"line":3,"call":1,"at":2.5,"from":"exploring","to":"stuck","detector":"heartbeat_rule","evidence":[4,5],"detectors":["heartbeat_rule"],"tier":"none","needs_somebody":false,"retry_at":null})"));
    CHECK(result["timeline"][0]["detector"] == "");
    CHECK(result["directives"][0]["kind"] == "change_approach");
    CHECK_FALSE(timeline_json("s", timeline, false)["timeline"][0].contains("why"));
}
