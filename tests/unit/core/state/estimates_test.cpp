// SPDX-License-Identifier: Apache-2.0
#include "core/state/estimates.hpp"

#include <catch2/catch.hpp>

#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

ProgressEstimated of_judge(double percent) {
    ProgressEstimated estimate;
    estimate.percent = percent;
    estimate.judge = "local";
    estimate.model = "m1";
    return estimate;
}

/// A session with a judge for estimates.
struct Estimated {
    JudgeRules rules;
    Story story;
    std::int64_t ms = 0;
    std::uint64_t call = 0;

    explicit Estimated(EstimateMode mode = EstimateMode::kStall, Policy policy = {})
        : story(std::move(policy)) {
        rules.primary = "local";
        rules.estimates = mode;
    }
    const SessionState& state() const { return story.session.state(); }
    bool due() const { return estimate_due(state(), rules); }
    std::vector<Event> report(Event one_event) { return story.report(std::move(one_event), ++ms); }
    void call_well() { report(tool_finished("c" + std::to_string(++call))); }
    void fail_differently() {
        Event built = tool_finished("c" + std::to_string(++call), false);
        std::get<ToolFinished>(built.payload).args.kept = "{\"q\":" + std::to_string(call) + "}";
        report(std::move(built));
    }
    void agent_says(double percent) {
        ProgressEstimated estimate;
        estimate.percent = percent;
        report(event(std::move(estimate)));
    }
    std::vector<Event> judge_says(ProgressEstimated progress) {
        std::vector<Event> out;
        story.session.note_estimate(std::move(progress), context(++ms), out);
        story.events.insert(story.events.end(), out.begin(), out.end());
        return out;
    }
    void judge_says(double percent) { judge_says(of_judge(percent)); }
    /// Rounds that prove nothing and form no loop, until the verdict is `suspect`.
    void until_suspect() {
        for (int i = 0; i < 20 && story.verdict() != Verdict::kSuspect; ++i)
            fail_differently();
        REQUIRE(story.verdict() == Verdict::kSuspect);
    }
};

Policy strict() {
    Policy policy;
    policy.profile = Profile::kStrict;
    return policy;
}

}  // namespace

TEST_CASE("estimates: on stall, a judge is asked when the verdict turns suspect, once", "[core]") {
    Estimated s;
    s.call_well();
    CHECK_FALSE(s.due());
    s.until_suspect();
    CHECK(s.due());
    s.judge_says(20);
    CHECK_FALSE(s.due());
    s.fail_differently();
    CHECK_FALSE(s.due());
}

TEST_CASE("estimates: a session with judge false is not estimated", "[core]") {
    Policy policy;
    policy.judge = false;
    Estimated s{EstimateMode::kStep, policy};
    s.call_well();
    CHECK_FALSE(s.due());
}

TEST_CASE("estimates: on stall, a judge is asked after five quiet rounds, once for each row",
          "[core]") {
    Policy policy;
    policy.loop_detection = false;  // no verdict comes first
    Estimated s{EstimateMode::kStall, policy};
    while (s.state().ledger->quiet_rounds < kStalledRounds && s.call < 30) {
        CHECK_FALSE(s.due());
        s.fail_differently();
    }
    REQUIRE(s.state().ledger->quiet_rounds == kStalledRounds);
    CHECK(s.due());
    s.judge_says(10);
    for (int i = 0; i < 5; ++i)
        s.fail_differently();
    CHECK_FALSE(s.due());
    s.call_well();
    s.call_well();
    for (int i = 0; i < 7; ++i)
        s.fail_differently();
    CHECK(s.due());
}

TEST_CASE("estimates: on stall, the end of a phase asks too, its start does not", "[core]") {
    Estimated s;
    s.report(phase_started("plan"));
    CHECK_FALSE(s.due());
    s.report(phase_started("build"));
    CHECK(s.due());
    s.judge_says(30);
    CHECK_FALSE(s.due());
    PhaseCompleted done;
    done.name = "build";
    s.report(event(std::move(done)));
    CHECK(s.due());
}

TEST_CASE("estimates: per step, each finished call that counts asks", "[core]") {
    Estimated s{EstimateMode::kStep};
    s.report(beat());
    CHECK_FALSE(s.due());
    s.call_well();
    CHECK(s.due());
    s.judge_says(10);
    CHECK_FALSE(s.due());
    s.call_well();
    CHECK(s.due());
}

TEST_CASE("estimates: every so many calls", "[core]") {
    Estimated s{EstimateMode::kEvery};
    s.rules.estimate_steps = 3;
    for (int i = 0; i < 2; ++i)
        s.call_well();
    CHECK_FALSE(s.due());
    s.call_well();
    CHECK(s.due());
    s.judge_says(10);
    CHECK_FALSE(s.due());
}

TEST_CASE("estimates: none without a judge, when off, at the limit, or after the end", "[core]") {
    Estimated s{EstimateMode::kStep};
    s.call_well();
    REQUIRE(s.due());
    SECTION("no judge") {
        s.rules.primary.clear();
    }
    SECTION("off") {
        s.rules.estimates = EstimateMode::kOff;
    }
    SECTION("the limit, which includes fallbacks") {
        s.rules.estimates_max = 1;
        ProgressEstimated none = fallback_estimate(s.state(), "x");
        none.judge = "local";
        s.judge_says(std::move(none));
        s.call_well();
    }
    SECTION("the end") {
        s.report(ended(Outcome::kCompleted));
    }
    CHECK_FALSE(s.due());
}

TEST_CASE("estimates: an agent cannot report as a judge", "[core]") {
    Estimated s;
    for (const auto& [said, stored] :
         {std::pair{"", "agent"}, {"judge", "agent"}, {"planner", "planner"}}) {
        ProgressEstimated lie = of_judge(99);
        lie.source = said;
        lie.fallback = true;
        lie.use = JudgeUse{};
        const auto out = s.report(event(std::move(lie)));
        const auto& kept = std::get<ProgressEstimated>(out.front().payload);
        CHECK(kept.source == stored);
        CHECK(kept.judge.empty());
        CHECK(kept.model.empty());
        CHECK_FALSE(kept.use);
        CHECK_FALSE(kept.fallback);
    }
    CHECK(s.state().estimates->judged == 0);
    CHECK(s.state().estimates->scored == 3);
}

TEST_CASE("estimates: a judge's is marked as such and holds the calls made by then", "[core]") {
    Estimated s;
    s.call_well();
    s.call_well();
    const auto out = s.judge_says(of_judge(40));
    REQUIRE(out.size() == 1);
    const auto& kept = std::get<ProgressEstimated>(out.front().payload);
    CHECK(kept.source == "judge");
    CHECK(kept.calls == 2);
    CHECK(s.state() == folded(s.story.events));
}

TEST_CASE("estimates: after the end a judge's estimate is ignored", "[core]") {
    Estimated s;
    s.report(ended(Outcome::kCompleted));
    CHECK(s.judge_says(of_judge(40)).empty());
}

TEST_CASE("estimates: the fallback is 50 once a call went well, else 0, and says why", "[core]") {
    Estimated s;
    s.fail_differently();
    ProgressEstimated none = fallback_estimate(s.state(), "unreachable");
    CHECK(none.percent == 0);
    CHECK(none.fallback);
    CHECK(none.reasoning.kept.find("unreachable") == 0);
    s.call_well();
    CHECK(fallback_estimate(s.state(), "x").percent == 50);
    none.judge = "local";
    s.judge_says(std::move(none));
    CHECK(s.state().estimates->scored == 0);
}

TEST_CASE("estimates: a judge's is no sign of life of the agent", "[core]") {
    Estimated s;
    s.report(beat());
    const Timestamp heard = s.state().last_beat_at;
    s.ms += 5000;
    s.judge_says(40);
    CHECK(s.state().last_beat_at == heard);
}

TEST_CASE("estimates: balanced, a judge's plateau is neither suspicion nor corroboration",
          "[core]") {
    Estimated s;
    SECTION("of nothing") {
        for (int i = 0; i < 20; ++i)
            s.judge_says(50);
        CHECK(s.story.verdict() == Verdict::kStarting);
    }
    SECTION("of a suspicion") {
        s.until_suspect();
        for (int i = 0; i < 20; ++i)
            s.judge_says(50);
        CHECK(s.story.verdict() == Verdict::kSuspect);
    }
    SECTION("of a suspicion, the agent's own does") {
        s.until_suspect();
        for (int i = 0; i < 5; ++i)
            s.agent_says(50);
        CHECK(s.story.verdict() == Verdict::kStuck);
    }
}

TEST_CASE("estimates: balanced, a judge does not hide the agent's plateau", "[core]") {
    Estimated s;
    for (int i = 0; i < 5; ++i) {
        s.agent_says(95);
        s.judge_says(10.0 * i);
    }
    CHECK(s.story.verdict() == Verdict::kSuspect);
    CHECK(s.state().judgement->detector == "estimate_plateau");
}

TEST_CASE("estimates: strict, the third within five points is stuck, from agent or judge",
          "[core]") {
    Estimated s{EstimateMode::kStall, strict()};
    SECTION("a judge") {
        s.judge_says(40);
        s.judge_says(42);
        CHECK(s.story.verdict() != Verdict::kStuck);
        s.judge_says(44);
        CHECK(s.story.verdict() == Verdict::kStuck);
        CHECK(s.state().judgement->reason.find("by a judge") != std::string::npos);
        CHECK(s.state().judgement->evidence.size() == 3);
    }
    SECTION("the agent, whatever a judge says between") {
        s.agent_says(40);
        s.judge_says(90);
        s.agent_says(42);
        s.judge_says(10);
        s.agent_says(44);
        CHECK(s.state().reached[static_cast<std::size_t>(Verdict::kStuck)] != 0);
    }
}

TEST_CASE("estimates: fallbacks are never a plateau, not even strict", "[core]") {
    Estimated s{EstimateMode::kStall, strict()};
    for (int i = 0; i < 10; ++i) {
        ProgressEstimated none = fallback_estimate(s.state(), "unreachable");
        none.judge = "local";
        s.judge_says(std::move(none));
    }
    CHECK(s.story.verdict() == Verdict::kStarting);
}
