// SPDX-License-Identifier: Apache-2.0
#include "cli/eval/eval_metrics.hpp"

#include <catch2/catch.hpp>

#include "tests/support/names.hpp"

using namespace headway::cli;
using headway::core::DirectiveIssued;
using headway::core::DirectiveKind;
using headway::core::Verdict;
using headway::core::VerdictChanged;

namespace {

struct Change {
    Verdict to;
    std::size_t call;
};

Timeline timeline_of(std::size_t calls, const std::vector<Change>& changes) {
    Timeline timeline;
    timeline.calls = calls;
    for (const Change& change : changes) {
        VerdictChanged data;
        data.to = change.to;
        Step step;
        step.event.payload = data;
        step.call = change.call;
        timeline.verdicts.push_back(step);
    }
    return timeline;
}

JudgedSession loop(std::int64_t start, std::int64_t length, const std::vector<Change>& changes) {
    JudgedSession session;
    session.label.loop = Known::kYes;
    session.label.loop_start = start;
    session.label.loop_length = length;
    session.timeline = timeline_of(100, changes);
    return session;
}

JudgedSession success(Known loops, const std::vector<Change>& changes) {
    JudgedSession session;
    session.label.success = true;
    session.label.loop = loops;
    session.timeline = timeline_of(100, changes);
    return session;
}

Metrics measure_all(const std::vector<JudgedSession>& sessions) {
    std::vector<const JudgedSession*> pointers;
    for (const JudgedSession& session : sessions)
        pointers.push_back(&session);
    return measure(pointers);
}

}  // namespace

TEST_CASE("eval metrics: nothing to divide by is nothing, not zero", "[cli]") {
    const Metrics metrics = measure_all({});
    CHECK(metrics.sessions == 0);
    CHECK_FALSE(metrics.recall.has_value());
    CHECK_FALSE(metrics.recall_human.has_value());
    CHECK_FALSE(metrics.recall_5.has_value());
    CHECK_FALSE(metrics.delay_stuck.has_value());
    CHECK(metrics.nudges_per_1000_calls == 0.0);
}

TEST_CASE("eval metrics: false alarms are on successes only", "[cli]") {
    const std::vector<Change> stuck{{Verdict::kStuck, 3}, {Verdict::kProgressing, 4}};
    const std::vector<Change> suspect{{Verdict::kSuspect, 3}, {Verdict::kCompleted, 9}};
    JudgedSession failure = success(Known::kNo, stuck);
    failure.label.success = false;
    const Metrics metrics = measure_all(
        {success(Known::kNo, stuck), success(Known::kUnknown, stuck), success(Known::kYes, stuck),
         success(Known::kNo, suspect), success(Known::kNo, {}), failure});
    CHECK(metrics.sessions == 6);
    CHECK(metrics.successes == 5);
    CHECK(metrics.false_stuck == 1);
    CHECK(metrics.suspects_on_success == 4);
    CHECK(metrics.loops == 1);
    CHECK(*metrics.recall == 1.0);
}

TEST_CASE("eval metrics: recall is of loops, also of those people labelled and of long ones",
          "[cli]") {
    JudgedSession read_by_hand = loop(0, 4, {{Verdict::kSuspect, 3}});
    read_by_hand.label.by_human = true;
    const Metrics metrics =
        measure_all({loop(0, 5, {{Verdict::kStuck, 5}}), loop(0, 4, {{Verdict::kStuck, 4}}),
                     loop(0, 9, {}), read_by_hand});
    CHECK(metrics.loops == 4);
    CHECK(*metrics.recall == 0.5);
    CHECK(*metrics.recall_human == 0.0);
    CHECK(*metrics.recall_5 == 0.5);
}

TEST_CASE("eval metrics: delay counts the calls of the loop", "[cli]") {
    struct Case {
        const char* name;
        std::vector<Change> changes;
        std::optional<std::size_t> suspect;
        std::optional<std::size_t> stuck;
    };
    const Case cases[] = {
        // the loop begins with the sixth call
        {"never", {{Verdict::kProgressing, 1}}, std::nullopt, std::nullopt},
        {"only suspect", {{Verdict::kSuspect, 8}}, 3, std::nullopt},
        {"suspect, then stuck", {{Verdict::kSuspect, 8}, {Verdict::kStuck, 10}}, 3, 5},
        {"stuck at once", {{Verdict::kStuck, 6}}, 1, 1},
        {"an alarm before the loop is not counted",
         {{Verdict::kStuck, 2}, {Verdict::kProgressing, 3}, {Verdict::kStuck, 9}},
         4,
         4},
        {"one that still stands does", {{Verdict::kStuck, 5}}, 1, 1},
        {"but not when the loop's first call ends it",
         {{Verdict::kStuck, 5}, {Verdict::kProgressing, 6}, {Verdict::kSuspect, 7}},
         2,
         std::nullopt},
        {"silence is no alarm", {{Verdict::kSilent, 7}}, std::nullopt, std::nullopt},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.name) {
            const Timeline timeline = timeline_of(20, c.changes);
            CHECK(delay_of(timeline, 5, Verdict::kSuspect) == c.suspect);
            CHECK(delay_of(timeline, 5, Verdict::kStuck) == c.stuck);
        }
    }
}

TEST_CASE("eval metrics: the median of delays leaves out loops without a start or an alarm",
          "[cli]") {
    const Metrics metrics =
        measure_all({loop(0, 9, {{Verdict::kStuck, 4}}), loop(2, 9, {{Verdict::kStuck, 7}}),
                     loop(-1, 9, {{Verdict::kStuck, 50}}), loop(0, 9, {})});
    CHECK(*metrics.delay_stuck == 4.5);
    CHECK(*metrics.delay_suspect == 4.5);
    CHECK(*measure_all({loop(0, 9, {{Verdict::kSuspect, 3}})}).delay_suspect == 3.0);
}

TEST_CASE("eval metrics: nudges are directives to change the approach", "[cli]") {
    JudgedSession session = success(Known::kNo, {});
    session.timeline.calls = 500;
    for (const DirectiveKind kind : {DirectiveKind::kChangeApproach, DirectiveKind::kStop}) {
        DirectiveIssued directive;
        directive.kind = kind;
        Step step;
        step.event.payload = directive;
        session.timeline.directives.push_back(step);
    }
    CHECK(measure_all({session}).nudges_per_1000_calls == 2.0);
}

TEST_CASE("eval metrics: a scenario agrees when stuck and expected are the same", "[cli]") {
    Scenario scenario;
    scenario.timeline = timeline_of(3, {{Verdict::kSuspect, 2}});
    CHECK(agrees(scenario));
    scenario.expects_stuck = true;
    CHECK_FALSE(agrees(scenario));
    scenario.timeline = timeline_of(3, {{Verdict::kStuck, 2}, {Verdict::kProgressing, 3}});
    CHECK(agrees(scenario));
}
