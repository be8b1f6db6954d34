// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "core/detection/detector.hpp"
#include "core/detection/ledger.hpp"

// core/detection/ledger.hpp, activity_of(). How rounds follow each other in it is in
// ledger_test.cpp.

using namespace headway::core;

namespace {

/// Rounds before the current one, the oldest first.
std::uint64_t past_of(std::initializer_list<Tier> tiers) {
    std::uint64_t past = 0;
    for (const Tier tier : tiers)
        past = past << 4 | (static_cast<std::uint64_t>(tier) + 1);
    return past;
}

}  // namespace

TEST_CASE("activity: each tier of a round has its letter", "[core]") {
    const std::pair<Tier, const char*> cases[] = {
        {Tier::kNone, "."},          {Tier::kExternal, "x"},     {Tier::kInformation, "i"},
        {Tier::kAnswerChanged, "i"}, {Tier::kVerification, "v"}, {Tier::kState, "s"}};
    for (const auto& [tier, letter] : cases) {
        CAPTURE(name_of(tier));
        Ledger now;
        now.rounds = 1;
        now.round_tier = tier;
        CHECK(activity_of(now) == letter);
        Ledger before;
        before.past_tiers = past_of({tier});
        CHECK(activity_of(before) == letter);
    }
}

TEST_CASE("activity: the oldest round stands first and the current one last", "[core]") {
    Ledger ledger;
    ledger.past_tiers = past_of({Tier::kState, Tier::kNone, Tier::kVerification});
    ledger.rounds = 4;
    ledger.round_tier = Tier::kExternal;
    CHECK(activity_of(ledger) == "s.vx");
}

TEST_CASE("activity: without a round there is no current one", "[core]") {
    Ledger ledger;
    ledger.round_tier = Tier::kState;
    CHECK(activity_of(ledger).empty());
}

TEST_CASE("activity: of the rounds before, fifteen are shown", "[core]") {
    Ledger ledger;
    ledger.rounds = 17;
    ledger.past_tiers =
        past_of({Tier::kState, Tier::kVerification, Tier::kNone, Tier::kNone, Tier::kNone,
                 Tier::kNone, Tier::kNone, Tier::kNone, Tier::kNone, Tier::kNone, Tier::kNone,
                 Tier::kNone, Tier::kNone, Tier::kNone, Tier::kNone, Tier::kInformation});
    CHECK(activity_of(ledger) == "v.............i.");
}

TEST_CASE("activity: edits whose content is not known are counted, not called nothing", "[core]") {
    Ledger ledger;
    CHECK(since_change(ledger) == ", and no change was reported since the start");
    ledger.hard_n = 7;
    ledger.unsure_edits = 1;
    CHECK(since_change(ledger) == "; since #7 there was 1 edit, and what it changed is not known");
    ledger.unsure_edits = 2;
    CHECK(since_change(ledger) ==
          "; since #7 there were 2 edits, and what they changed is not known");
}
