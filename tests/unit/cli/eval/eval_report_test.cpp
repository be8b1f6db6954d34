// SPDX-License-Identifier: Apache-2.0
#include "cli/eval/eval_report.hpp"

#include <catch2/catch.hpp>

#include "tests/support/parsed.hpp"

using namespace headway::cli;
using headway::core::Verdict;
using headway::core::VerdictChanged;
using headway::tests::parsed;

namespace {

Timeline stuck_at(std::size_t call) {
    VerdictChanged data;
    data.to = Verdict::kStuck;
    data.reason = "the \x1b[31msame again";
    data.detector = "some_rule";
    Step step;
    step.event.payload = data;
    step.line = call + 1;
    step.call = call;
    Timeline timeline;
    timeline.calls = 10;
    timeline.verdicts.push_back(step);
    timeline.last.verdict = Verdict::kStuck;
    return timeline;
}

Evaluation some() {
    Evaluation evaluation;
    JudgedSession good;
    good.label.file = "a/good.jsonl";
    good.label.source = "a";
    good.label.success = true;
    good.label.loop = Known::kNo;
    good.timeline = stuck_at(4);
    JudgedSession missed;
    missed.label.file = "b/missed.jsonl";
    missed.label.source = "b";
    missed.label.loop = Known::kYes;
    missed.timeline.last.verdict = Verdict::kStarting;
    evaluation.sessions = {good, missed};
    Scenario scenario;
    scenario.file = "s/one.jsonl";
    scenario.portable = "yes";
    scenario.test = "should not";
    scenario.timeline = stuck_at(3);
    evaluation.scenarios = {scenario};
    evaluation.missing = {"gone.jsonl"};
    return evaluation;
}

}  // namespace

TEST_CASE("eval report: the JSON has each source and the total under fixed names", "[cli]") {
    const Json result = eval_json(some(), false);
    CHECK(result["sources"].size() == 2);
    CHECK(
        result["sources"]["a"] ==
        parsed(
            R"({"sessions":1,"successes":1,"false_stuck":1,"stuck_unknown":0,"suspects_on_success":1,"loops":0,"recall":null,"recall_human":null,"nudges_per_1000_calls":0.0,"delay_suspect":null,"delay_stuck":null,"recall_5":null})"));
    CHECK(result["total"]["sessions"] == 2);
    CHECK(result["total"]["recall"] == 0.0);
    CHECK(result["labels_missing"] == 1);
    CHECK_FALSE(result.contains("lists"));
}

TEST_CASE("eval report: scenarios by how portable they are, with those that differ", "[cli]") {
    const Json scenarios = eval_json(some(), false)["scenarios"];
    CHECK(scenarios["yes"] == parsed(R"({"count":1,"agree":0})"));
    CHECK(scenarios["policy"] == parsed(R"({"count":0,"agree":0})"));
    REQUIRE(scenarios["disagreements"].size() == 1);
    const Json& one = scenarios["disagreements"][0];
    CHECK(one["file"] == "s/one.jsonl");
    CHECK(one["expect"] == "not_stuck");
    CHECK(one["verdict"] == "stuck");
    CHECK(one["test"] == "should not");
    Evaluation without = some();
    without.scenarios.clear();
    CHECK_FALSE(eval_json(without, false).contains("scenarios"));
}

TEST_CASE("eval report: the lists name files and reasons", "[cli]") {
    const Json lists = eval_json(some(), true)["lists"];
    CHECK(lists["false_stuck"][0]["file"] == "a/good.jsonl");
    CHECK(lists["false_stuck"][0]["call"] == 4);
    CHECK(lists["missed_loops"][0]["file"] == "b/missed.jsonl");
    CHECK(lists["missed_loops"][0]["verdict"] == "starting");
}

TEST_CASE("eval report: people get tables that cannot steer their terminal", "[cli]") {
    const std::string text = eval_text(some(), true, 0);
    CHECK_THAT(text, Catch::Contains("SOURCE") && Catch::Contains("total"));
    CHECK_THAT(text, Catch::Contains("a/good.jsonl: stuck at call 4"));
    CHECK_THAT(text, Catch::Contains("s/one.jsonl") && Catch::Contains("expected not_stuck"));
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK_THAT(eval_text(some(), false, 0), !Catch::Contains("Missed loops"));
}

TEST_CASE("eval report: what a stop saves and loses stands beside simple rules", "[cli]") {
    Evaluation evaluation = some();
    evaluation.labelled = true;
    JudgedSession failed;
    failed.label.file = "c/failed.jsonl";
    failed.label.source = "c";
    failed.label.failure = true;
    failed.timeline = stuck_at(4);
    failed.timeline.same_3 = 8;
    evaluation.sessions.push_back(failed);
    const Json savings = eval_json(evaluation, false)["savings"];
    REQUIRE(savings.size() == 7);
    CHECK(savings[0]["rule"] == "stuck");
    CHECK(savings[0]["stopped"].count() == 1);
    CHECK(savings[0]["lost"].number() == Approx(0.6));
    CHECK(savings[0]["saved"].number() == Approx(0.6));
    CHECK(savings[1]["saved"].number() == Approx(0.2));
    CHECK(savings[5]["successes"].count() == 0);  // no recording has times
    CHECK_THAT(eval_text(evaluation, false, 0), Catch::Contains("HEADLINE"));
}

TEST_CASE("eval report: a source that stands apart is in no total", "[cli]") {
    Evaluation evaluation = some();
    evaluation.apart = {"b"};
    const Json result = eval_json(evaluation, false);
    CHECK(result["total"]["sessions"].count() == 1);
    CHECK(result["sources"].size() == 2);
    CHECK_THAT(eval_text(evaluation, false, 0), Catch::Contains("b (apart)"));
}
