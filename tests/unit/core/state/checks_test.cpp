// SPDX-License-Identifier: Apache-2.0
#include "core/state/checks.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "core/base/limits.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

/// A session with a judge.
struct Judged {
    JudgeRules rules;
    Story story;
    std::int64_t ms = 0;
    std::uint64_t call = 0;

    explicit Judged(const Policy& policy = {}) : story(policy) { rules.primary = "local"; }

    Context around() {
        Context built = context(++ms);
        built.judge = &rules;
        return built;
    }
    std::vector<Event> report(Event event) { return story.report(std::move(event), around()); }
    /// The same failing call: suspect after two, stuck after four.
    void fail_once(const char* tool = "bash") {
        Event one_event = tool_finished("c" + std::to_string(++call), false);
        std::get<ToolFinished>(one_event.payload).tool = tool;
        report(std::move(one_event));
    }
    /// Calls of one tool that fail alike with different arguments: suspect for long.
    void fail_differently() {
        Event result = tool_finished("c" + std::to_string(++call), false);
        auto& finished = std::get<ToolFinished>(result.payload);
        finished.args.kept = "{\"q\":" + std::to_string(call) + "}";
        report(std::move(result));
    }
    const Checks& checks() const { return *story.session.state().checks; }
    std::vector<Event> answer(std::optional<CheckAnswer> text, double confidence = 0.95,
                              JudgeOutcome outcome = JudgeOutcome::kAnswered) {
        REQUIRE_FALSE(checks().pending.empty());
        CheckCompleted done;
        done.check_id = checks().pending.front().check_id;
        done.outcome = outcome;
        done.answer = text;
        done.confidence = confidence;
        std::vector<Event> out;
        story.session.complete_check(std::move(done), around(), out);
        story.events.insert(story.events.end(), out.begin(), out.end());
        return out;
    }
    void until_suspect() {
        for (int i = 0; i < 20 && story.verdict() != Verdict::kSuspect; ++i)
            fail_differently();
        REQUIRE(story.verdict() == Verdict::kSuspect);
    }
};

}  // namespace

TEST_CASE("checks: as many facts are kept as fit, the newest", "[core]") {
    Checks checks;
    for (int i = 0; i < 100; ++i)
        learn_fact(checks, "fact " + std::to_string(i));
    CHECK(checks.facts.size() == limits::kFactsKeptMax);
    CHECK(checks.facts.front() == "fact 36");
    CHECK(checks.facts.back() == "fact 99");
    CHECK(checks.facts_learned == 100);
    const std::string longest(1'000, 'x');
    for (int i = 0; i < 100; ++i)
        learn_fact(checks, longest);
    std::size_t bytes = 0;
    for (const std::string& fact : checks.facts)
        bytes += fact.size();
    CHECK(bytes <= limits::kFactsBytesMax);
    CHECK(bytes > limits::kFactsBytesMax - limits::kFactBytesMax);
}

TEST_CASE("checks: a suspicion asks the judge once, automatically", "[core]") {
    Judged judged;
    judged.until_suspect();
    REQUIRE(judged.checks().pending.size() == 1);
    CHECK(judged.checks().pending.front().cause == CheckCause::kSuspect);
    CHECK(judged.checks().pending.front().check_id.starts_with("story.c"));
    judged.fail_differently();
    CHECK(judged.checks().pending.size() == 1);
}

TEST_CASE("checks: without a judge, or with on_suspect off, no judge is asked", "[core]") {
    Judged judged;
    SECTION("no judge") {
        judged.rules.primary.clear();
    }
    SECTION("off") {
        judged.rules.on_suspect = false;
    }
    SECTION("none allowed") {
        judged.rules.checks_max = 0;
    }
    judged.until_suspect();
    CHECK(judged.checks().pending.empty());
}

TEST_CASE("checks: a session with judge false is shown to no judge", "[core]") {
    Policy policy;
    policy.judge = false;
    Judged judged{policy};
    judged.until_suspect();
    CHECK(judged.checks().pending.empty());
    std::vector<Event> out;
    const auto asked = judged.story.session.request_check("a", "ana", judged.around(), out);
    CHECK(asked.error().code == ErrorCode::kNoJudge);
    CHECK(asked.error().detail.find("judge: false") != std::string::npos);
    CHECK(out.empty());
}

TEST_CASE("checks: the surer the judge, the later it is asked again", "[core]") {
    for (const auto& [confidence, rounds] : {std::pair{0.0, 5U}, {0.5, 10U}, {1.0, 15U}}) {
        Judged judged;
        judged.until_suspect();
        const std::uint32_t at = judged.story.session.state().ledger->rounds;
        judged.answer(CheckAnswer::kProgressing, confidence);
        CHECK(judged.checks().next_round == at + rounds);
    }
}

TEST_CASE("checks: a confidence of NaN counts as zero", "[core]") {
    for (const double confidence : {std::nan(""), -1.0, 7.0}) {
        Judged one;
        one.until_suspect();
        one.answer(CheckAnswer::kProgressing, confidence);
        const std::uint32_t rounds =
            one.checks().next_round - one.story.session.state().ledger->rounds;
        CHECK(rounds == (confidence > 0 ? 15 : 5));
    }
}

TEST_CASE("checks: a failing judge changes only the time of the next check", "[core]") {
    for (const JudgeOutcome outcome :
         {JudgeOutcome::kDiscarded, JudgeOutcome::kUnreachable, JudgeOutcome::kBroken}) {
        Judged judged;
        judged.until_suspect();
        const auto out = judged.answer({}, 0, outcome);
        CHECK(out.size() == 1);
        CHECK(judged.story.verdict() == Verdict::kSuspect);
        CHECK(judged.checks().loop.empty());
        CHECK(judged.checks().next_round == judged.story.session.state().ledger->rounds + 15);
    }
}

TEST_CASE("checks: no answer makes a verdict better", "[core]") {
    for (const CheckAnswer answer :
         {CheckAnswer::kProgressing, CheckAnswer::kBlocked, CheckAnswer::kFailed}) {
        Judged judged;
        judged.until_suspect();
        judged.answer(answer);
        CHECK(judged.story.verdict() == Verdict::kSuspect);
        Judged stuck;
        for (int i = 0; i < 10 && stuck.story.verdict() != Verdict::kStuck; ++i)
            stuck.fail_once();
        REQUIRE(stuck.story.verdict() == Verdict::kStuck);
        stuck.answer(answer);
        CHECK(stuck.story.verdict() == Verdict::kStuck);
    }
}

TEST_CASE("checks: B makes a suspicion stuck once it has outlasted the question by five rounds",
          "[core]") {
    Judged judged;
    judged.story.session = Session{"story"};
    SessionStarted about;
    about.policy.detectors = {};
    std::vector<Event> out;
    judged.story.session.open(about, {}, context(0), out);
    judged.until_suspect();
    const std::string loop = judged.story.session.state().judgement->loop;
    const std::uint32_t asked = judged.checks().pending.front().round;
    judged.answer(CheckAnswer::kLooping);
    CHECK(judged.checks().loop == loop);
    while (judged.story.session.state().ledger->rounds < asked + kJudgedRounds) {
        CHECK_FALSE(judged_looping(judged.story.session.state()));
        judged.fail_differently();
    }
    CHECK(judged_looping(judged.story.session.state()));
    CHECK(judged.story.verdict() == Verdict::kStuck);
}

TEST_CASE("checks: hard progress after the question refutes B", "[core]") {
    Judged judged;
    judged.until_suspect();
    judged.answer(CheckAnswer::kLooping);
    Event edit = tool_finished("edit");
    std::get<ToolFinished>(edit.payload).mutated = {{"a.cpp", "d1"}};
    judged.report(std::move(edit));
    for (int i = 0; i < 8; ++i) {
        CHECK_FALSE(judged_looping(judged.story.session.state()));
        Event more = tool_finished("e" + std::to_string(i));
        std::get<ToolFinished>(more.payload).mutated = {{"a.cpp", "x" + std::to_string(i)}};
        judged.report(std::move(more));
    }
    CHECK(judged.story.verdict() == Verdict::kProgressing);
}

TEST_CASE("checks: with a second opinion required, B alone is not enough", "[core]") {
    Judged judged;
    judged.rules.confirm = "other";
    judged.until_suspect();
    judged.answer(CheckAnswer::kLooping);
    REQUIRE(judged.checks().pending.size() == 1);
    CHECK(judged.checks().pending.front().cause == CheckCause::kConfirm);
    SECTION("confirmed") {
        judged.answer(CheckAnswer::kLooping, 0.9);
        CHECK(judged.checks().confirmed);
    }
    SECTION("not sure enough") {
        judged.answer(CheckAnswer::kLooping, 0.89);
        CHECK_FALSE(judged.checks().confirmed);
    }
    SECTION("another opinion") {
        judged.answer(CheckAnswer::kProgressing, 1);
        CHECK_FALSE(judged.checks().confirmed);
    }
    SECTION("no opinion") {
        judged.answer({}, 1, JudgeOutcome::kUnreachable);
        CHECK_FALSE(judged.checks().confirmed);
    }
}

TEST_CASE("checks: a session without hard progress for long is audited", "[core]") {
    Judged judged;
    judged.rules.audit_rounds = 10;
    judged.rules.on_suspect = false;
    for (int i = 0; i < 30 && judged.checks().pending.empty(); ++i) {
        Event look = tool_finished("l" + std::to_string(i));
        auto& finished = std::get<ToolFinished>(look.payload);
        finished.tool = "read";
        finished.args.kept = "{\"path\":\"f" + std::to_string(i) + "\"}";
        finished.result.kept = "\"text " + std::to_string(i) + "\"";
        finished.mutated.clear();
        judged.report(std::move(look));
    }
    REQUIRE(judged.checks().pending.size() == 1);
    CHECK(judged.checks().pending.front().cause == CheckCause::kAudit);
    CHECK(judged.story.session.state().ledger->rounds == 10);
}

TEST_CASE("checks: asking twice with one id asks once", "[core]") {
    Judged judged;
    std::vector<Event> out;
    CHECK(*judged.story.session.request_check("mine", "me", judged.around(), out));
    CHECK_FALSE(*judged.story.session.request_check("mine", "me", judged.around(), out));
    CHECK(judged.checks().pending.size() == 1);
}

TEST_CASE("checks: asking needs a judge, an open session and room", "[core]") {
    Judged judged;
    std::vector<Event> out;
    for (std::size_t i = 0; i < limits::kChecksPendingMax; ++i)
        require_ok(
            judged.story.session.request_check("c" + std::to_string(i), "", judged.around(), out));
    auto full = judged.story.session.request_check("more", "", judged.around(), out);
    CHECK(full.error().code == ErrorCode::kTooManyChecks);
    Judged alone;
    alone.rules.primary.clear();
    auto none = alone.story.session.request_check("a", "", alone.around(), out);
    CHECK(none.error().code == ErrorCode::kNoJudge);
    judged.report(ended(Outcome::kCompleted));
    auto over = judged.story.session.request_check("late", "", judged.around(), out);
    CHECK(over.error().code == ErrorCode::kSessionEnded);
}

TEST_CASE("checks: an answer after the end of the session, or without a question, is ignored",
          "[core]") {
    Judged judged;
    std::vector<Event> out;
    require_ok(judged.story.session.request_check("mine", "", judged.around(), out));
    judged.report(ended(Outcome::kCompleted));
    out.clear();
    CheckCompleted done;
    done.check_id = "mine";
    judged.story.session.complete_check(done, judged.around(), out);
    CHECK(out.empty());
    Judged open;
    open.story.session.complete_check(done, open.around(), out);
    CHECK(out.empty());
}

TEST_CASE("checks: each condition of a judged loop is needed", "[core]") {
    const auto judged = [](auto&& change) {
        SessionState state;
        Checks& checks = state.checks.change();
        state.judgement.change().loop = checks.loop = "0123456789abcdef";
        checks.asked_n = 20;
        checks.round = 4;
        checks.confirmed = true;
        state.ledger.change().rounds = 4 + kJudgedRounds;
        state.ledger.change().hard_n = 19;
        state.ledger.change().scope_n = 19;
        change(state, checks);
        return judged_looping(state);
    };
    CHECK(judged([](SessionState&, Checks&) {}));
    CHECK_FALSE(judged([](SessionState& state, Checks&) { state.ledger.change().hard_n = 21; }));
    CHECK_FALSE(judged([](SessionState& state, Checks&) { state.ledger.change().scope_n = 21; }));
    CHECK_FALSE(judged([](SessionState& state, Checks&) { --state.ledger.change().rounds; }));
    CHECK_FALSE(
        judged([](SessionState& state, Checks&) { state.judgement.change().loop = "another"; }));
    CHECK_FALSE(judged([](SessionState&, Checks& checks) { checks.confirmed = false; }));
    CHECK_FALSE(judged([](SessionState& state, Checks& checks) {
        state.judgement.change().loop.clear();
        checks.loop.clear();
    }));
}

namespace {

/// Under confirm_stop: one repeated call until it is stuck.
struct Confirmed : Judged {
    static Policy policy() {
        Policy built;
        built.on_stuck = OnStuck::kStop;
        built.confirm_stop = ConfirmStop::kJudge;
        return built;
    }
    Confirmed() : Judged(policy()) {
        rules.on_suspect = false;
        for (int i = 0; i < 20 && story.verdict() != Verdict::kStuck; ++i)
            fail_once();
        REQUIRE(story.verdict() == Verdict::kStuck);
    }
    bool stopped() const {
        const auto& open = story.session.state().directives;
        return std::any_of(open.begin(), open.end(),
                           [](const Directive& d) { return d.kind == DirectiveKind::kStop; });
    }
    std::size_t asked() const {
        return static_cast<std::size_t>(
            std::count_if(story.events.begin(), story.events.end(), [](const Event& one) {
                const auto* check = std::get_if<CheckRequested>(&one.payload);
                return check != nullptr && check->cause == CheckCause::kStop;
            }));
    }
};

}  // namespace

TEST_CASE("checks: a stop that needs confirmation waits for the judge, which is asked once",
          "[core]") {
    Confirmed c;
    CHECK(c.asked() == 1);
    CHECK_FALSE(c.stopped());
    c.fail_once();
    CHECK(c.asked() == 1);
    CHECK_FALSE(c.stopped());
    SECTION("B lets it go") {
        c.answer(CheckAnswer::kLooping);
    }
    SECTION("C lets it go") {
        c.answer(CheckAnswer::kBlocked);
    }
    SECTION("no answer lets it go") {
        c.answer(std::nullopt, 0, JudgeOutcome::kUnreachable);
    }
    CHECK(c.stopped());
    CHECK(c.story.session.state().agent_state == AgentState::kHalted);
    CHECK(folded(c.story.events) == c.story.session.state());
}

TEST_CASE("checks: an A postpones a stop, three times at most, and changes no verdict", "[core]") {
    Confirmed c;
    for (std::size_t time = 1; time <= kStopHeldMax; ++time) {
        CHECK(c.asked() == time);
        c.answer(CheckAnswer::kProgressing);
        CHECK(c.story.verdict() == Verdict::kStuck);
        for (std::uint32_t i = 1; i < kStopHeldRounds; ++i)
            c.fail_once();
        CHECK_FALSE(c.stopped());
        c.fail_once();
    }
    CHECK(c.asked() == kStopHeldMax);
    CHECK(c.stopped());
}

TEST_CASE("checks: without a judge, or with judge false, the rule is enough", "[core]") {
    Policy policy = Confirmed::policy();
    const bool shown = GENERATE(true, false);
    policy.judge = shown;
    Judged judged{policy};
    if (shown) judged.rules.primary.clear();
    for (int i = 0; i < 8; ++i)
        judged.fail_once();
    CHECK(judged.story.session.state().agent_state == AgentState::kHalted);
}

TEST_CASE("checks: a halt waits for its confirmation too", "[core]") {
    Policy policy = Confirmed::policy();
    policy.on_stuck = OnStuck::kHalt;
    Judged judged{policy};
    judged.rules.on_suspect = false;
    for (int i = 0; i < 8; ++i)
        judged.fail_once();
    REQUIRE_FALSE(judged.story.session.state().ended());
    judged.answer(CheckAnswer::kLooping);
    CHECK(judged.story.session.state().outcome == Outcome::kHalted);
}
