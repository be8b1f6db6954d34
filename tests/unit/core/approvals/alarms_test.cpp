// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "core/approvals/approvals.hpp"
#include "core/base/limits.hpp"
#include "core/session/session.hpp"
#include "core/views/view.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;
using Kind = ApprovalAlarmKind;

namespace {

Event ran(std::string tool) {
    ToolFinished done;
    done.tool = std::move(tool);
    return event(std::move(done));
}

/// A session whose calls of "deploy" need approval.
struct Guarded : Story {
    ApprovalRules rules;
    Guarded() { rules.require_tools = {"deploy", "drop"}; }

    Context around(std::int64_t ms) const {
        Context built = context(ms);
        built.approvals = &rules;
        return built;
    }
    void say(Event event, std::int64_t ms) { Story::report(std::move(event), around(ms)); }
    const std::vector<RaisedAlarm>& alarms() const { return session.state().approvals.alarms; }
    Result<> acknowledge(std::uint64_t n, std::int64_t ms) {
        return acknowledge(n == 0 ? AlarmRange{} : AlarmRange{n, n}, ms);
    }
    Result<> acknowledge(const AlarmRange& range, std::int64_t ms) {
        std::vector<Event> out;
        auto done = session.acknowledge_alarms(range, "ann", "seen", around(ms), out);
        events.insert(events.end(), out.begin(), out.end());
        return done;
    }
};

ApprovalAlarm alarm(Kind kind, std::uint64_t approval, std::string tool) {
    ApprovalAlarm approval_alarm;
    approval_alarm.alarm = kind;
    if (approval != 0) approval_alarm.id = approval_id("s", approval);
    approval_alarm.tool = std::move(tool);
    return approval_alarm;
}

}  // namespace

TEST_CASE("alarms: one is kept until a person acknowledges it, through the end", "[core]") {
    Guarded story;
    story.say(ran("deploy"), 1);
    REQUIRE(story.alarms().size() == 1);
    const RaisedAlarm raised = story.alarms().front();
    CHECK(raised.kind == Kind::kExecutedUnapproved);
    CHECK(raised.tool == "deploy");
    CHECK(raised.at == at(1));
    CHECK(view_of(story.session).alarm == Kind::kExecutedUnapproved);
    story.say(ended(Outcome::kCompleted), 2);
    CHECK(story.alarms().size() == 1);
    CHECK(code_of(story.acknowledge(raised.n + 1, 3)) == ErrorCode::kInvalidField);
    require_ok(story.acknowledge(raised.n, 3));
    CHECK(story.alarms().empty());
    CHECK_FALSE(view_of(story.session).alarm.has_value());
    const std::uint64_t n = story.session.state().n;
    require_ok(story.acknowledge(0, 4));  // no alarm: nothing happens
    CHECK(story.session.state().n == n);
    CHECK(story.session.state().outcome == Outcome::kCompleted);
    CHECK(folded(story.events) == story.session.state());
}

TEST_CASE("alarms: no report of an agent removes one", "[core]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (int round = 0; round < 50; ++round) {
        Guarded story;
        story.say(ran("deploy"), 1);
        std::int64_t now = 2;
        for (int i = 0; i < 40; ++i) {
            const std::string name = "x" + std::to_string(gen.below(5));
            const std::vector<Event> all{beat(),
                                         message("user"),
                                         message("assistant"),
                                         phase_started(name),
                                         tool_started(name),
                                         tool_finished(name),
                                         acknowledged("d" + std::to_string(gen.below(20))),
                                         acknowledged("story.a" + std::to_string(gen.below(20))),
                                         ran("drop")};
            story.say(all[gen.below(all.size())], now++);
            REQUIRE_FALSE(story.alarms().empty());
            REQUIRE(story.alarms().front().tool == "deploy");
        }
        REQUIRE(folded(story.events) == story.session.state());
    }
}

TEST_CASE("alarms: equal alarms are merged, with the last event and a count", "[core]") {
    Guarded story;
    story.say(ran("deploy"), 1);
    const std::uint64_t first = story.alarms().front().n;
    story.say(ran("deploy"), 2);
    REQUIRE(story.alarms().size() == 1);
    CHECK(story.alarms().front().times == 2);
    CHECK(story.alarms().front().n > first);
    // A person who saw the first has not seen the second.
    CHECK(code_of(story.acknowledge(first, 3)) == ErrorCode::kInvalidField);
}

TEST_CASE("alarms: those up to the last that a person saw are acknowledged, a later one stays",
          "[core]") {
    Guarded story;
    story.say(ran("deploy"), 1);
    const std::uint64_t seen = story.alarms().front().n;
    CHECK(code_of(story.acknowledge(AlarmRange{0, seen - 1}, 2)) == ErrorCode::kInvalidField);
    story.say(ran("drop"), 2);
    require_ok(story.acknowledge(AlarmRange{0, seen}, 3));
    REQUIRE(story.alarms().size() == 1);
    CHECK(story.alarms().front().tool == "drop");
    CHECK(folded(story.events) == story.session.state());
}

TEST_CASE("alarms: sorted by urgency, of equals the oldest first", "[core]") {
    Approvals approvals;
    enter(approvals, alarm(Kind::kNeverExecuted, 1, "a"), 1, at(1));
    enter(approvals, alarm(Kind::kStartedAfterRejection, 2, "b"), 2, at(2));
    enter(approvals, alarm(Kind::kExecutedThoughRejected, 3, "c"), 3, at(3));
    enter(approvals, alarm(Kind::kStartedAfterRejection, 4, "d"), 4, at(4));
    std::string tools;
    for (const RaisedAlarm* raised : approvals.alarms_by_urgency())
        tools += raised->tool;
    CHECK(tools == "cbda");
}

TEST_CASE("alarms: a flood of minor ones does not push out a severe one", "[core]") {
    Approvals approvals;
    for (std::uint64_t i = 1; i <= limits::kAlarmsMax + 5; ++i)
        enter(approvals, alarm(Kind::kNeverExecuted, i, "bash"), i, at(1));
    CHECK(approvals.alarms.size() == limits::kAlarmsMax);
    CHECK(approvals.alarms_more == 5);
    enter(approvals, alarm(Kind::kExecutedThoughRejected, 99, "deploy"), 99, at(2));
    CHECK(approvals.alarms.size() == limits::kAlarmsMax);
    for (std::uint64_t i = 100; i < 200; ++i)
        enter(approvals, alarm(Kind::kExecutedUnapproved, 0, "t" + std::to_string(i)), i, at(3));
    CHECK(approvals.alarms.size() == limits::kAlarmsMax);
    REQUIRE(approvals.worst_alarm() != nullptr);
    CHECK(approvals.worst_alarm()->tool == "deploy");
    // No person has seen those that had no room.
    AlarmAcknowledged seen;
    for (const RaisedAlarm& raised : approvals.alarms)
        seen.alarms.push_back(raised.n);
    enter(approvals, seen, 300);
    CHECK(approvals.alarms.empty());
    CHECK(approvals.alarms_more > 0);
    enter(approvals, AlarmAcknowledged{}, 301);
    CHECK(approvals.alarms_more == 0);
}

TEST_CASE("alarms: a rejected call that runs again after the acknowledgement raises again",
          "[core]") {
    Guarded story;
    ApprovalRequested asked;
    asked.tool = "bash";
    asked.call_id = "c1";
    story.say(event(asked), 1);
    const std::uint64_t n = story.session.state().approvals.requests.front().n;
    Ruling no;
    std::vector<Event> out;
    REQUIRE(*story.session.decide(n, no, story.around(2), out));
    story.events.insert(story.events.end(), out.begin(), out.end());
    ToolFinished done;
    done.tool = "bash";
    done.call_id = "c1";
    story.say(event(done), 3);
    REQUIRE(story.alarms().size() == 1);
    CHECK(story.alarms().front().approval == n);
    done.round = 2;
    done.result.kept = "again";
    story.say(event(done), 4);
    CHECK(story.alarms().front().times == 2);  // each execution counts
    require_ok(story.acknowledge(0, 5));
    done.round = 3;
    done.result.kept = "and again";
    story.say(event(done), 6);
    REQUIRE(story.alarms().size() == 1);
    CHECK(story.alarms().front().kind == Kind::kExecutedThoughRejected);
    CHECK(folded(story.events) == story.session.state());
}
