// SPDX-License-Identifier: Apache-2.0
#include "core/state/validity.hpp"

#include <catch2/catch.hpp>

#include "core/fold/fold.hpp"
#include "core/judgement/recovery.hpp"
#include "core/judgement/resolver.hpp"
#include "core/session/session.hpp"
#include "core/views/view.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/make.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

/// Events as a client, an older Headway or a damaged disk may have written them: few names, so that
/// they collide, and values from their whole range.
struct WildJournal {
    Gen gen;
    std::uint64_t n = 0;

    std::string name() { return std::string{"n"} + static_cast<char>('a' + gen.below(4)); }
    std::string approval() { return approval_id("s", 1 + gen.below(n + 1)); }

    void tame(ToolStarted& call) {
        call.tool = name();
        call.call_id = gen.chance(4) ? std::string{} : name();
        call.round.reset();
    }
    void tame(ToolFinished& call) {
        call.tool = gen.chance(3) ? "edit" : name();
        call.call_id = gen.chance(3) ? std::string{} : name();
        call.fingerprint.reset();
        if (gen.chance(2)) call.args = {};
        if (!call.mutated.empty()) call.mutated.front().path = name();
    }
    void tame(Message& message) {
        message.role = gen.chance(3) ? "user" : "assistant";
        if (gen.chance(2))
            message.text = bounded_text("the same " + name() + " as it ever was said");
    }
    void tame(DirectiveIssued& directive) {
        directive.id = name();
        directive.loop = name();
        directive.step = gen.below(6);
    }
    void tame(DirectiveAcknowledged& acknowledged) { acknowledged.id = name(); }
    void tame(ApprovalDecided& decided) { decided.id = approval(); }
    void tame(ApprovalRedeemed& redeemed) { redeemed.id = approval(); }
    void tame(ApprovalExpired& expired) { expired.id = approval(); }
    void tame(ApprovalRevoked& revoked) { revoked.id = approval(); }
    void tame(ApprovalAlarm& alarm) { alarm.id = approval(); }
    void tame(ApprovalClosed& closed) { closed.id = approval(); }
    void tame(ApprovalRequested& asked) {
        static constexpr const char* kSources[] = {"agent", "agent", "headway", "dialog"};
        asked.source = kSources[gen.below(4)];
    }
    void tame(CheckRequested& asked) { asked.check_id = name(); }
    void tame(CheckCompleted& done) { done.check_id = name(); }
    void tame(SessionEnded& end) { end.reason = {}; }
    template <class P>
    void tame(P&) {}

    Event next() {
        Event event;
        event.n = ++n;
        gen.fill(event.at);
        event.attempt = static_cast<std::uint32_t>(gen.below(3));
        const EventType type = gen.any_type();
        // Rare, or there would be few events before it.
        const bool ends = type == EventType::kSessionEnded && !gen.chance(50);
        event.payload = gen.payload(ends ? EventType::kToolFinished : type);
        if (!gen.chance(10)) std::visit([this](auto& data) { tame(data); }, event.payload);
        return event;
    }
};

/// Changes one value at a random position.
template <class T>
void damage(T& value, Gen& gen) {
    if constexpr (std::is_same_v<T, std::string> || NamedEnum<T> || std::is_arithmetic_v<T> ||
                  std::is_same_v<T, Millis> || std::is_same_v<T, Timestamp>) {
        gen.fill(value);
        if constexpr (std::is_same_v<T, std::uint64_t>) {
            if (gen.chance(6)) value = UINT64_MAX - gen.below(2);
        }
    } else if constexpr (requires { value.change(); }) {
        damage(value.change(), gen);
    } else if constexpr (requires { value.emplace_back(); }) {
        if (value.empty() || gen.chance(8)) {
            gen.chance(2) ? value.clear() : value.resize(value.size() + 1 + gen.below(40));
        } else {
            damage(value[gen.index(value.size())], gen);
        }
    } else if constexpr (requires { value.emplace(); }) {
        gen.chance(2) ? value.reset() : damage(value.emplace(), gen);
    } else {
        const std::size_t chosen = gen.index(kFieldCount<T>);
        for_each_field<T>([&](const auto& field, std::size_t place) {
            if (place == chosen) damage(value.*(field.member), gen);
        });
    }
}

}  // namespace

TEST_CASE("sound: a damaged state that passes the check can be folded on", "[core]") {
    INFO("HEADWAY_SEED=" << seed());
    WildJournal before{Gen{seed()}};
    Session story{"s"};
    for (int i = 0; i < 300; ++i)
        story.apply(before.next());
    std::size_t sound = 0;
    for (std::uint64_t trial = 0; trial < 300; ++trial) {
        INFO("trial " << trial);
        Gen gen{seed() + trial};
        SessionState state = story.state();
        state.outcome.reset();
        for (std::uint64_t i = 0; i <= gen.below(3); ++i)
            damage(state, gen);
        if (!is_valid(state) || state.n > INT64_MAX / 2) continue;
        ++sound;
        WildJournal after{Gen{seed() * 3 + trial}, state.n};
        Session session{"s", std::move(state)};
        for (int i = 0; i < 60; ++i) {
            session.apply(after.next());
            (void)judge(session.state(), {at(i * 1000), at(0)});
            (void)next_recovery_step(session.state());
        }
        REQUIRE(is_valid(session.state()));
        (void)view_of(session);
        (void)activity_of(*session.state().ledger);
    }
    CHECK(sound > 20);
}

TEST_CASE("sound: the fold of any journal is a sound state", "[core]") {
    INFO("HEADWAY_SEED=" << seed());
    for (std::uint64_t story = 0; story < 20; ++story) {
        WildJournal journal{Gen{seed() + story}};
        Session session{"s"};
        for (int i = 0; i < 600; ++i) {
            session.apply(journal.next());
            INFO("story " << story << ", event " << journal.n);
            REQUIRE(is_valid(session.state()));
            // Readers rely on it too.
            const VerdictContext around{at(i * 1000), at(0)};
            const Judgement judged = judge(session.state(), around);
            CHECK(judged.verdict == verdict_of(session.state(), around));
            (void)next_recovery_step(session.state());
            (void)activity_of(*session.state().ledger);
            CHECK(view_of(session).n == journal.n);
        }
    }
}

TEST_CASE("sound: a state that no fold can produce is unsound", "[core]") {
    SessionState state;
    REQUIRE(is_valid(state));
    const auto broken = [](auto change) {
        SessionState other;
        other.n = 10;
        change(other);
        return !is_valid(other);
    };
    CHECK(broken([](auto& s) { s.n = UINT64_MAX; }));
    CHECK(broken([](auto& s) { s.asked_interval = Millis{INT64_MAX}; }));
    CHECK(broken([](auto& s) { s.reached.clear(); }));
    CHECK(broken([](auto& s) { s.reached[0] = 11; }));
    CHECK(broken([](auto& s) { s.open_calls.resize(limits::kInFlightMax + 1); }));
    CHECK(broken([](auto& s) { s.nudges.resize(1); }));
    CHECK(broken([](auto& s) { s.round.echoes = limits::kRoundEchoesMax + 1; }));
    CHECK(broken([](auto& s) { s.ledger.change().answers.resize(24); }));
    CHECK(broken([](auto& s) { s.ledger.change().calls = 1; }));
    CHECK(broken([](auto& s) { s.ledger.change().changes = UINT64_MAX; }));
    CHECK(broken([](auto& s) { s.ledger.change().past_tiers = 0x70; }));
    CHECK(broken([](auto& s) { s.ledger.change().hard_n = 11; }));
    CHECK(broken([](auto& s) { s.detectors.change().cycle.matched = {1}; }));
    CHECK(broken(
        [](auto& s) { s.detectors.change().cycle.matched.assign(Cycle::kPeriodMax - 1, 1); }));
    CHECK(broken([](auto& s) { s.detectors.change().same_diagnostic.count = 1; }));
    CHECK(broken([](auto& s) { s.detectors.change().exact_repeat.patience = 0; }));
    CHECK(broken([](auto& s) { s.detectors.change().estimate_plateau.own.percents = {1}; }));
    CHECK(broken([](auto& s) { s.detectors.change().stagnation.first_n = 1; }));
    CHECK(broken([](auto& s) { s.budget.human = Millis{1}; }));
    CHECK(broken([](auto& s) { s.budget.waited = Millis{1}; }));
    CHECK(broken([](auto& s) { s.budget.model = Millis{-1}; }));
    CHECK(broken([](auto& s) { s.budget.tokens = kBudgetCountMax + 1; }));
    CHECK(broken([](auto& s) { s.approvals.requests.resize(2); }));
    CHECK(broken([](auto& s) { s.approvals.alarms.resize(limits::kAlarmsMax + 1); }));
    CHECK(broken([](auto& s) { s.paths_seen.change().digests = {2, 1}; }));
    CHECK(broken([](auto& s) { s.checks.change().facts.resize(limits::kFactsKeptMax + 1); }));
    CHECK(broken([](auto& s) { s.claim.n = 11; }));
    CHECK_FALSE(broken([](auto&) {}));
}

TEST_CASE("sound: status and event of a used approval agree", "[core]") {
    SessionState state;
    state.n = 5;
    Approval& one = state.approvals.requests.emplace_back();
    one.n = 1;
    CHECK(is_valid(state));
    one.executed_n = 3;
    CHECK_FALSE(is_valid(state));
    one.status = ApprovalStatus::kExecuted;
    CHECK(is_valid(state));
}

TEST_CASE("sound: an interval that no policy may have is bounded", "[core]") {
    for (const std::uint64_t wild :
         {std::uint64_t{INT64_MAX}, UINT64_MAX, std::uint64_t{1} << 63U}) {
        SessionStarted started;
        started.policy.heartbeat_interval_ms = wild;
        Event first = event(std::move(started));
        first.n = 1;
        first.at = at(0);
        Session session{"s"};
        session.apply(first);
        CHECK(session.state().asked_interval >= Millis{0});
        CHECK(session.state().asked_interval <= kHeartbeatIntervalMax);
    }
}
