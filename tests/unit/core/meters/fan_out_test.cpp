// SPDX-License-Identifier: Apache-2.0
#include "core/meters/fan_out.hpp"

#include <catch2/catch.hpp>

#include "core/budgets/budget.hpp"
#include "core/session/session.hpp"
#include "tests/support/make.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

/// A session that hears of its children, under the rules.
struct Parent {
    explicit Parent(FanOutRules under = {}) : rules(under) {
        session.open({}, {}, context(0), out);
    }

    Context now() {
        Context around = context(++ms);
        around.fan_out = &rules;
        return around;
    }
    const SessionState& state() const { return session.state(); }
    FanOut fan_out() const { return fan_out_of(state().budget); }

    void tell(const std::string& child, bool ended = false, FanOut below = {},
              std::uint64_t tokens = 0) {
        ChildProgress progress;
        progress.child = child;
        progress.ended = ended;
        progress.tokens = tokens;
        progress.children_open = below.open;
        progress.children_all = below.all;
        progress.children_depth = below.depth;
        session.child_progress(std::move(progress), now(), out);
    }
    void launch(int count, const std::string& name = "c") {
        for (int i = 0; i < count; ++i)
            tell(name + std::to_string(i));
    }
    std::size_t raised() const {
        return static_cast<std::size_t>(std::count_if(out.begin(), out.end(), [](const Event& e) {
            return std::holds_alternative<ApprovalAlarm>(e.payload);
        }));
    }
    const RaisedAlarm* alarm() const { return state().approvals.worst_alarm(); }

    FanOutRules rules;
    std::int64_t ms = 0;
    Session session{"parent"};
    std::vector<Event> out;
};

FanOutRules rules(std::uint32_t at_once, std::uint32_t in_all, std::uint32_t depth) {
    FanOutRules built;
    built.at_once = at_once;
    built.in_all = in_all;
    built.depth = depth;
    return built;
}

}  // namespace

TEST_CASE("fan-out: children are counted while they are open, and over all", "[core]") {
    Parent parent;
    CHECK(parent.fan_out() == FanOut{});
    parent.launch(3);
    CHECK(parent.fan_out() == FanOut{3, 3, 1});
    parent.tell("c0", true);
    parent.tell("never seen open", true);
    CHECK(parent.fan_out() == FanOut{2, 4, 1});
    parent.tell("c1", false, {2, 5, 2});
    CHECK(parent.fan_out() == FanOut{4, 9, 3});
    parent.tell("c1", true, {0, 6, 2});
    CHECK(parent.fan_out() == FanOut{1, 10, 3});
}

TEST_CASE("fan-out: as many as the limit are fine; one more raises an alarm and advises",
          "[core]") {
    Parent parent;
    parent.launch(16);
    CHECK(parent.raised() == 0);
    CHECK(parent.state().directives.empty());
    parent.tell("one more");
    REQUIRE(parent.alarm() != nullptr);
    CHECK(parent.alarm()->kind == ApprovalAlarmKind::kFanOut);
    CHECK(parent.alarm()->detail == "17 sub-agents at once, more than 16");
    REQUIRE(parent.state().directives.size() == 1);
    CHECK(parent.state().directives[0].kind == DirectiveKind::kChangeApproach);
    CHECK(parent.state().directives[0].reason ==
          "There are 17 sub-agents at once, more than 16. Wait for them to end before you launch "
          "more.");
    CHECK_FALSE(parent.state().waits_for_human());
    CHECK_FALSE(parent.state().ended());
}

TEST_CASE("fan-out: a flood says it again when it has doubled, not with each child", "[core]") {
    Parent parent;
    parent.launch(120);
    CHECK(parent.raised() == 3);  // 17, 33, 65
    CHECK(parent.state().approvals.alarms.size() == 1);
    CHECK(parent.alarm()->times == 3);
    CHECK(parent.alarm()->detail == "65 sub-agents at once, more than 16");
}

TEST_CASE("fan-out: children one after the other are too many in all", "[core]") {
    Parent parent{rules(16, 5, 4)};
    for (int i = 0; i < 5; ++i) {
        parent.tell("c" + std::to_string(i));
        parent.tell("c" + std::to_string(i), true);
    }
    CHECK(parent.raised() == 0);
    parent.tell("sixth");
    REQUIRE(parent.alarm() != nullptr);
    CHECK(parent.alarm()->detail == "6 sub-agents in all, more than 5");
    CHECK_THAT(parent.state().directives[0].reason, Catch::Contains("Launch no more"));
}

TEST_CASE("fan-out: grandchildren count for the oldest too", "[core]") {
    Parent parent;
    parent.launch(4);
    for (int i = 0; i < 4; ++i)
        parent.tell("c" + std::to_string(i), false, {4, 4, 1});
    REQUIRE(parent.alarm() != nullptr);
    CHECK(parent.fan_out() == FanOut{20, 20, 2});
}

TEST_CASE("fan-out: each generation below the limit raises it again", "[core]") {
    Parent parent{rules(16, 200, 2)};
    parent.tell("c", false, {1, 1, 1});
    CHECK(parent.raised() == 0);
    parent.tell("c", false, {2, 2, 2});
    REQUIRE(parent.alarm() != nullptr);
    CHECK(parent.alarm()->detail == "3 generations of sub-agents, more than 2");
    CHECK_THAT(parent.state().directives[0].reason, Catch::Contains("do their work themselves"));
    parent.tell("c", false, {3, 3, 2});
    CHECK(parent.raised() == 1);
    parent.tell("c", false, {4, 4, 3});
    CHECK(parent.raised() == 2);
}

TEST_CASE("fan-out: no limit raises no alarm", "[core]") {
    Parent parent{rules(0, 0, 0)};
    parent.launch(100);
    parent.tell("deep", false, {100, 5'000, 30});
    CHECK(parent.raised() == 0);
    CHECK(parent.fan_out().all == 5'101);
}

TEST_CASE("fan-out: where the rules say so, a person is asked and the session waits", "[core]") {
    FanOutRules ask = rules(2, 200, 4);
    ask.on_exceeded = OnFanOut::kAsk;
    Parent parent{ask};
    parent.launch(3);
    REQUIRE(parent.state().approvals.oldest_pending() != nullptr);
    const Approval& asked = *parent.state().approvals.oldest_pending();
    CHECK(asked.kind == ApprovalKind::kQuestion);
    CHECK(asked.source == "headway");
    CHECK(asked.summary == "There are 3 sub-agents at once, more than 2. May it go on like this?");
    CHECK(parent.state().judgement->verdict == Verdict::kBlocked);
    parent.launch(3);
    CHECK(parent.state().approvals.pending() == 1);
}

TEST_CASE("fan-out: where the rules say so, the session gets a stop", "[core]") {
    FanOutRules stop = rules(2, 200, 4);
    stop.on_exceeded = OnFanOut::kStop;
    Parent parent{stop};
    parent.launch(3);
    REQUIRE(parent.state().directives.size() == 1);
    CHECK(parent.state().directives[0].kind == DirectiveKind::kStop);
}

TEST_CASE("fan-out: nothing that the session reports hides the alarm; a person does", "[core]") {
    Parent parent{rules(1, 200, 4)};
    parent.launch(2);
    REQUIRE(parent.alarm() != nullptr);
    Event read = event(DirectiveAcknowledged{parent.state().directives[0].id});
    StateChanged idle;
    idle.state = AgentState::kIdle;
    Message user;
    user.role = "user";
    user.text = bounded_text("go on");
    for (Event next : {beat(), read, event(idle), event(user), tool_started("a"),
                       tool_finished("a"), event(SessionEnded{})}) {
        std::vector<Event> events(1);
        events.front() = std::move(next);
        parent.session.report(events, parent.now(), parent.out);
        CHECK(parent.alarm() != nullptr);
    }
    CHECK(parent.state().ended());
    REQUIRE(parent.session.acknowledge_alarms({}, "ana", "", parent.now(), parent.out));
    CHECK(parent.alarm() == nullptr);
}

TEST_CASE("fan-out: an alarm that a person has seen comes again when the excess has doubled",
          "[core]") {
    Parent parent{rules(2, 200, 4)};
    parent.launch(3);
    REQUIRE(parent.session.acknowledge_alarms({}, "ana", "", parent.now(), parent.out));
    parent.tell("c3");
    CHECK(parent.alarm() == nullptr);
    parent.tell("c4");
    REQUIRE(parent.alarm() != nullptr);
    CHECK(parent.alarm()->detail == "5 sub-agents at once, more than 2");
}

TEST_CASE("fan-out: a replay finds the same, and hostile counts are bounded", "[core]") {
    Parent parent;
    parent.tell("c", false, {UINT64_MAX, UINT64_MAX, UINT64_MAX});
    parent.tell("d", true, {UINT64_MAX, UINT64_MAX, UINT64_MAX});
    parent.tell("e", true, {UINT64_MAX, UINT64_MAX, UINT64_MAX});
    CHECK(parent.fan_out().all <= kBudgetCountMax);
    CHECK(parent.fan_out().depth <= 33);
    Session again{"parent"};
    for (const Event& event : parent.out)
        again.apply(event);
    CHECK(again.state() == parent.state());
}

TEST_CASE("fan-out: use of three generations reaches the oldest", "[core]") {
    Parent oldest;
    Parent middle;
    Parent youngest;
    Message message;
    message.usage.emplace().input_tokens = 100;
    message.usage->cost_usd = 0.5;
    message.text = bounded_text("done");
    for (Parent* one : {&oldest, &middle, &youngest}) {
        std::vector<Event> events{event(message)};
        one->session.report(events, one->now(), one->out);
    }
    const auto report_child = [](Parent& to, Parent& of, const char* name) {
        const Context now = to.now();
        to.session.child_progress(child_progress_of(name, of.state(), now.now, now.watch), now,
                                  to.out);
    };
    report_child(middle, youngest, "youngest");
    report_child(oldest, middle, "middle");
    const BudgetStatus status = budget_status(oldest.state(), at(oldest.ms), Watch{at(0)});
    CHECK(status.tokens.used == 300);
    CHECK(status.cost.used == 1'500'000);
    CHECK(oldest.fan_out() == FanOut{2, 2, 2});
    // The youngest ends, and then the middle one.
    std::vector<Event> end{event(SessionEnded{})};
    youngest.session.report(end, youngest.now(), youngest.out);
    report_child(middle, youngest, "youngest");
    end = {event(SessionEnded{})};
    middle.session.report(end, middle.now(), middle.out);
    report_child(oldest, middle, "middle");
    CHECK(budget_status(oldest.state(), at(oldest.ms), Watch{at(0)}).tokens.used == 300);
    CHECK(oldest.fan_out() == FanOut{0, 2, 2});
}

TEST_CASE("fan-out: a family without limits hears of what is new or has grown by a quarter",
          "[core]") {
    Parent parent;
    ChildProgress child;
    child.child = "c";
    CHECK(child_moved_far(parent.state().budget, child, true));
    parent.tell("c", false, {}, 1000);
    child.tokens = 1200;
    CHECK_FALSE(child_moved_far(parent.state().budget, child, false));
    child.tokens = 1300;
    CHECK(child_moved_far(parent.state().budget, child, false));
    child.tokens = 1000;
    child.cost_usd = 0.01;
    CHECK(child_moved_far(parent.state().budget, child, false));
    child.cost_usd.reset();
    child.children_open = 1;
    CHECK(child_moved_far(parent.state().budget, child, false));
    child.children_open = 0;
    child.ended = true;
    CHECK(child_moved_far(parent.state().budget, child, false));
}

TEST_CASE("family: a child in the process of its parent ends with it", "[core]") {
    Parent child;
    std::vector<Event> events{tool_started("a")};
    child.session.report(events, child.now(), child.out);
    child.session.parent_ended(true, child.now(), child.out);
    REQUIRE(child.state().ended());
    CHECK(*child.state().outcome == Outcome::kCancelled);
    CHECK(child.state().end_code == "parent_ended");
    CHECK(child.state().judgement->verdict == Verdict::kCancelled);
    const std::size_t events_before = child.out.size();
    child.session.parent_ended(true, child.now(), child.out);
    CHECK(child.out.size() == events_before);
}

TEST_CASE("family: a child of its own that is not heard ends with its parent", "[core]") {
    Parent child;
    child.ms = 60'000;
    child.session.parent_ended(false, child.now(), child.out);
    CHECK(child.state().end_code == "parent_ended");
}

TEST_CASE("family: a child of its own that works gets a stop, and ends once it is not heard",
          "[core]") {
    constexpr std::int64_t kMinutes = 60'000;
    Parent child;
    std::vector<Event> events{beat()};
    child.session.report(events, child.now(), child.out);
    child.session.parent_ended(false, child.now(), child.out);
    CHECK_FALSE(child.state().ended());
    REQUIRE(child.state().directives.size() == 1);
    CHECK(child.state().directives[0].kind == DirectiveKind::kStop);

    child.ms = 20 * kMinutes;
    events = {beat()};
    child.session.report(events, child.now(), child.out);
    child.ms = 49 * kMinutes;
    child.session.tick(child.now(), child.out);
    CHECK_FALSE(child.state().ended());
    // Long silent, and the next deadline is that of its end.
    CHECK(child.session.next_deadline(Watch{at(0)}, at(child.ms)) == at(50 * kMinutes + 1));
    child.ms = 50 * kMinutes + 1;
    child.session.tick(child.now(), child.out);
    CHECK(child.state().end_code == "parent_ended");
}

TEST_CASE("family: a child that waits for a person or in a call is not ended in its place",
          "[core]") {
    constexpr std::int64_t kHours = 3'600'000;
    Parent child;
    const bool asks = GENERATE(true, false);
    ApprovalRequested question;
    question.kind = ApprovalKind::kQuestion;
    question.summary = bounded_text("which one?");
    std::vector<Event> events{asks ? event(question) : tool_started("a")};
    child.session.report(events, child.now(), child.out);
    child.ms = kHours;
    child.session.parent_ended(false, child.now(), child.out);
    child.ms = 5 * kHours;
    child.session.tick(child.now(), child.out);
    CHECK_FALSE(child.state().ended());
    child.ms = 13 * kHours;
    child.session.tick(child.now(), child.out);
    CHECK(child.state().ended() == !asks);
}
