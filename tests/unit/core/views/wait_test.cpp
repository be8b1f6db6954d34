// SPDX-License-Identifier: Apache-2.0
#include "core/views/wait.hpp"

#include <catch2/catch.hpp>

#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using headway::tests::code_of;

namespace {

/// A view with event number `n` and a verdict that was reached at `since`.
SessionView view(std::uint64_t n, Verdict verdict, std::uint64_t since) {
    SessionView session_view;
    session_view.n = n;
    auto judgement = std::make_shared<Judgement>();
    judgement->verdict = verdict;
    session_view.judgement = judgement;
    session_view.ended = is_final(verdict);
    session_view.reached[static_cast<std::size_t>(verdict)] = since;
    return session_view;
}

WaitFor wait(const char* until, WaitMode mode = WaitMode::kNow, std::uint64_t after = 0) {
    return {*parse_until(until), mode, after};
}

}  // namespace

TEST_CASE("wait: every verdict can be waited for by its name", "[core]") {
    for (std::size_t i = 0; i < kVerdictCount; ++i) {
        const auto until = parse_until(name_of(static_cast<Verdict>(i)));
        REQUIRE(until.has_value());
        CHECK(until->verdicts.count() == 1);
        CHECK(until->contains(static_cast<Verdict>(i)));
        CHECK_FALSE(until->any_event);
    }
}

TEST_CASE("wait: sets stand for their verdicts", "[core]") {
    const auto ended = parse_until("ended");
    REQUIRE(ended.has_value());
    for (std::size_t i = 0; i < kVerdictCount; ++i)
        CHECK(ended->verdicts.test(i) == is_final(static_cast<Verdict>(i)));
    const auto settled = parse_until("settled");
    REQUIRE(settled.has_value());
    CHECK(settled->verdicts.count() == 6);
    CHECK(settled->contains(Verdict::kStuck));
    CHECK(settled->contains(Verdict::kBlocked));
    CHECK_FALSE(settled->contains(Verdict::kSilent));
    CHECK(parse_until("event,stuck")->any_event);
    CHECK(settled->needs_somebody);
    CHECK_FALSE(ended->needs_somebody);
    CHECK(parse_until("needs_somebody")->verdicts.none());
}

TEST_CASE("wait: an unknown verdict is refused by its name", "[core]") {
    for (const char* bad : {"", "stuck,", ",stuck", "Stuck", "done", "stuck, silent", "event,,"}) {
        const auto until = parse_until(bad);
        CHECK(code_of(until) == ErrorCode::kInvalidParameter);
        CHECK(until.error().field == "until");
    }
    CHECK(parse_until("stuck,done").error().detail.find("'done'") != std::string::npos);
}

TEST_CASE("wait: the answer", "[core]") {
    struct Case {
        const char* name;
        WaitFor wait;
        SessionView view;
        bool met;
        bool impossible;
        std::optional<Verdict> matched;
    };
    const auto stuck = view(9, Verdict::kStuck, 7);
    const auto done = view(9, Verdict::kCompleted, 9);
    const Case cases[] = {
        {"the verdict as it stands", wait("stuck"), stuck, true, false, Verdict::kStuck},
        {"another verdict", wait("silent"), stuck, false, false, std::nullopt},
        {"nothing new since", wait("stuck", WaitMode::kNow, 9), stuck, false, false, std::nullopt},
        {"ended well", wait("settled"), done, true, false, Verdict::kCompleted},
        {"ended otherwise", wait("stuck"), done, false, true, std::nullopt},
        {"any event", wait("event", WaitMode::kNow, 8), stuck, true, false, std::nullopt},
        {"no event yet", wait("event", WaitMode::kNow, 9), stuck, false, false, std::nullopt},
        {"no event any more", wait("event", WaitMode::kNow, 9), done, false, true, std::nullopt},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.name) {
            const WaitAnswer got = answer(c.wait, c.view);
            CHECK(got.met == c.met);
            CHECK(got.impossible == c.impossible);
            CHECK(got.matched == c.matched);
        }
    }
}

TEST_CASE("wait: mode ever is met by a past verdict", "[core]") {
    SessionView passed = view(20, Verdict::kProgressing, 15);
    passed.reached[static_cast<std::size_t>(Verdict::kStuck)] = 9;
    CHECK_FALSE(answer(wait("stuck"), passed).met);
    const WaitAnswer ever = answer(wait("stuck", WaitMode::kEver, 8), passed);
    CHECK(ever.met);
    CHECK(ever.matched == Verdict::kStuck);
    CHECK_FALSE(answer(wait("stuck", WaitMode::kEver, 9), passed).met);
    CHECK_FALSE(answer(wait("silent", WaitMode::kEver), passed).met);
}

TEST_CASE("wait: mode ever on an ended session without that verdict is impossible", "[core]") {
    SessionView done = view(20, Verdict::kCompleted, 20);
    CHECK(answer(wait("stuck", WaitMode::kEver), done).impossible);
    done.reached[static_cast<std::size_t>(Verdict::kStuck)] = 4;
    CHECK(answer(wait("stuck", WaitMode::kEver), done).met);
}

TEST_CASE("wait: the cause when it is given up", "[core]") {
    CHECK(answer(wait("stuck"), view(9, Verdict::kCompleted, 9)).cause == WaitCause::kEnded);
    CHECK_FALSE(answer(wait("completed"), view(9, Verdict::kCompleted, 9)).cause);
    CHECK_FALSE(answer(wait("stuck"), view(9, Verdict::kSilent, 9)).cause);
}

TEST_CASE("wait: when a silent agent counts as gone", "[core]") {
    using headway::tests::at;
    SessionView quiet = view(9, Verdict::kSilent, 9);
    quiet.heard_at = at(1'000);
    quiet.asked_interval = Millis{2'000};
    const Watch watch{at(0)};
    const auto gone = [&](const WaitFor& what) { return gone_at(what, quiet, watch); };
    const auto after = [&](std::int64_t ms, const char* until = "settled") {
        WaitFor what = wait(until);
        what.silent_for = Millis{ms};
        return what;
    };
    CHECK(gone(wait("settled")) == at(21'000));
    CHECK(gone(after(7'000)) == at(8'000));
    CHECK(gone(after(0)) == kNever);
    CHECK(gone(after(10)) == at(5'000));  // before it is silent it is not gone
    CHECK(gone(wait("event")) == kNever);
    CHECK(gone(after(7'000, "event")) == at(8'000));

    SECTION("attention gaps are credited") {
        CHECK(gone_at(wait("settled"), quiet, Watch{at(60'000)}) == at(80'000));
    }
    SECTION("with any verdict") {
        for (const Verdict verdict : {Verdict::kStuck, Verdict::kBlocked, Verdict::kSlow}) {
            SessionView other = quiet;
            other.judgement = view(9, verdict, 9).judgement;
            CHECK(gone_at(wait("ended"), other, watch) == at(21'000));
        }
    }
    SECTION("a call without heartbeats has half an hour") {
        quiet.quiet_call = true;
        CHECK(gone(wait("settled")) == at(1'000 + 30 * 60'000));
        CHECK(gone(after(7'000)) == at(8'000));
        quiet.asked_interval = Millis{600'000};
        CHECK(gone(wait("settled")) == at(1'000 + 6'000'000));
    }
    SECTION("not while a person is asked or has paused it, a child works, or it has ended") {
        quiet.held = true;
        CHECK(gone(after(7'000)) == kNever);
        quiet.held = false;
        quiet.ended = true;
        CHECK(gone(after(7'000)) == kNever);
        quiet = view(9, Verdict::kWaiting, 9);
        quiet.asked_interval = Millis{2'000};
        auto judged = std::make_shared<Judgement>(*quiet.judgement);
        judged->detector = "liveness";
        quiet.judgement = judged;
        CHECK(gone(after(7'000)) == kNever);
    }
}

TEST_CASE("wait: a wait in which nothing moves any more is met as it stands now", "[core]") {
    SessionView waiting = view(9, Verdict::kWaiting, 4);
    for (const WaitMode mode : {WaitMode::kNow, WaitMode::kEver})
        CHECK_FALSE(answer(wait("settled", mode), waiting).met);
    auto judgement = std::make_shared<Judgement>();
    judgement->verdict = Verdict::kWaiting;
    judgement->needs_somebody = true;
    waiting.judgement = judgement;
    for (const char* until : {"settled", "needs_somebody", "stuck,needs_somebody"}) {
        for (const WaitMode mode : {WaitMode::kNow, WaitMode::kEver}) {
            CHECK(answer(wait(until, mode), waiting).matched == Verdict::kWaiting);
            CHECK_FALSE(answer(wait(until, mode, 9), waiting).met);
        }
    }
    CHECK_FALSE(answer(wait("ended"), waiting).met);
}
