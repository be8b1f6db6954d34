// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/judge/judge_ledger.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "tests/support/judged.hpp"

using namespace headway::server;
using headway::core::JudgeOutcome;

namespace {

JudgeReply reply(JudgeOutcome outcome) {
    JudgeReply built;
    built.endpoint = "judge";
    built.outcome = outcome;
    built.use.tries = 2;
    built.use.elapsed_ms = 7;
    return built;
}

}  // namespace

TEST_CASE("judge ledger: open questions have a bound, and an answer makes room", "[server]") {
    JudgeLedger ledger{{headway::tests::judge_endpoint("judge", "", "")}};
    CHECK_FALSE(ledger.open("another"));
    for (std::size_t i = 0; i < headway::core::limits::kJudgeQueueMax; ++i)
        REQUIRE(ledger.open("judge"));
    CHECK_FALSE(ledger.open("judge"));
    CHECK(ledger.stats().turned_away == 2);
    ledger.settle(reply(JudgeOutcome::kAnswered));
    CHECK(ledger.open("judge"));
    ledger.turn_away();
    CHECK(ledger.stats().open == headway::core::limits::kJudgeQueueMax - 1);
    CHECK(ledger.stats().turned_away == 3);
}

TEST_CASE("judge ledger: only answers count for the time that an answer takes", "[server]") {
    JudgeLedger ledger{{headway::tests::judge_endpoint("judge", "", "")}};
    for (const JudgeOutcome outcome : {JudgeOutcome::kAnswered, JudgeOutcome::kBroken}) {
        REQUIRE(ledger.open("judge"));
        ledger.settle(reply(outcome));
    }
    ledger.show(0, 3, 1, BreakerState::kOpen);
    const JudgeEndpointStats judge = ledger.stats().endpoints.at(0);
    CHECK(judge.ended_as(JudgeOutcome::kAnswered) == 1);
    CHECK(judge.ended_as(JudgeOutcome::kBroken) == 1);
    CHECK(judge.tries == 4);
    CHECK(judge.answered_ms == 7);
    CHECK(judge.waiting == 3);
    CHECK(judge.in_flight == 1);
    CHECK((judge.breaker == BreakerState::kOpen));
}
