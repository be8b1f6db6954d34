// SPDX-License-Identifier: Apache-2.0
#include "core/detection/ledger.hpp"

#include <catch2/catch.hpp>

using namespace headway::core;

namespace {

void round_of(Ledger& ledger, Tier tier) {
    ledger.begin_round();
    ledger.round_tier = tier;
}

}  // namespace

TEST_CASE("ledger: activity is the progress of each round, the current one last", "[core]") {
    Ledger ledger;
    CHECK(activity_of(ledger).empty());
    for (const Tier tier : {Tier::kNone, Tier::kExternal, Tier::kInformation, Tier::kAnswerChanged,
                            Tier::kVerification, Tier::kState})
        round_of(ledger, tier);
    CHECK(activity_of(ledger) == ".xiivs");
}

TEST_CASE("ledger: activity shows at most sixteen rounds", "[core]") {
    Ledger ledger;
    for (int i = 0; i < 40; ++i)
        round_of(ledger, i == 24 || i == 23 ? Tier::kState : Tier::kNone);
    CHECK(activity_of(ledger) == "s...............");
    round_of(ledger, Tier::kVerification);
    CHECK(activity_of(ledger) == "...............v");
}
