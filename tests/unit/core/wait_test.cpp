#include "core/wait.hpp"

#include <catch2/catch.hpp>

#include "tests/support/names.hpp"

using namespace headway::core;
using headway::tests::code_of;

namespace {

/// A view with event number `n` and a verdict that was reached at `since`.
SessionView view(std::uint64_t n, Verdict verdict, std::uint64_t since) {
    SessionView made;
    made.n = n;
    auto judgement = std::make_shared<Judgement>();
    judgement->verdict = verdict;
    made.judgement = judgement;
    made.ended = is_final(verdict);
    made.reached[static_cast<std::size_t>(verdict)] = since;
    return made;
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
}

TEST_CASE("wait: what is no verdict is refused by its name", "[core]") {
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

TEST_CASE("wait: mode ever is met by a verdict that has passed", "[core]") {
    SessionView passed = view(20, Verdict::kProgressing, 15);
    passed.reached[static_cast<std::size_t>(Verdict::kStuck)] = 9;
    CHECK_FALSE(answer(wait("stuck"), passed).met);
    const WaitAnswer ever = answer(wait("stuck", WaitMode::kEver, 8), passed);
    CHECK(ever.met);
    CHECK(ever.matched == Verdict::kStuck);
    CHECK_FALSE(answer(wait("stuck", WaitMode::kEver, 9), passed).met);
    CHECK_FALSE(answer(wait("silent", WaitMode::kEver), passed).met);
}

TEST_CASE("wait: mode ever on an ended session that was never so is impossible", "[core]") {
    SessionView done = view(20, Verdict::kCompleted, 20);
    CHECK(answer(wait("stuck", WaitMode::kEver), done).impossible);
    done.reached[static_cast<std::size_t>(Verdict::kStuck)] = 4;
    CHECK(answer(wait("stuck", WaitMode::kEver), done).met);
}
