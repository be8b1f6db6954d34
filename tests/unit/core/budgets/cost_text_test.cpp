// SPDX-License-Identifier: Apache-2.0
#include "core/budgets/cost_text.hpp"

#include <catch2/catch.hpp>

#include "core/budgets/budget_text.hpp"
#include "core/meters/prices.hpp"
#include "tests/support/budgeted.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

BudgetLimits cost_limit_of(double usd) {
    BudgetLimits limits;
    limits.max_cost_usd = usd;
    return limits;
}

/// One report a millisecond.
struct Costed {
    Budgeted session;
    std::int64_t ms = 0;
    explicit Costed(double usd) : session(cost_limit_of(usd)) {}
    void report(Event event) { session.report(std::move(event), ++ms); }
    BudgetStatus status() const { return session.status(ms); }
};

Event estimated(std::uint64_t tokens, double usd) {
    Event event = beat_with_usage(tokens, usd);
    usage_in(event.payload)->estimated = true;
    return event;
}

}  // namespace

TEST_CASE("cost: tokens without a cost leave it unknown, and the cap says that it cannot hold") {
    Costed b{1};
    b.report(beat_with_usage(4'800'000));
    const BudgetStatus status = b.status();
    CHECK(known_cost(status) == CostKnown::kNone);
    CHECK(cap_doubt(status) == "the cap of $1.00 cannot hold: no cost is known of 4800000 tokens");
    const std::string prompt = budget_prompt(status);
    CHECK(prompt.find("Cost: not known, the cap of $1.00 cannot hold") != std::string::npos);
    CHECK(prompt.find("0%") == std::string::npos);
    CHECK(budget_figures(status).find("cost not known") != std::string::npos);
}

TEST_CASE("cost: a session that was never told of a cost is not at 0 %") {
    Costed b{1};
    CHECK(known_cost(b.status()) == CostKnown::kNothingYet);
    CHECK(budget_prompt(b.status()).find("Cost: none reported yet, of at most $1.00") !=
          std::string::npos);
    b.report(beat_of_iteration(3));
    CHECK(cap_doubt(b.status()) ==
          "the cap of $1.00 cannot hold: neither tokens nor a cost are reported");
}

TEST_CASE("cost: where some answers have one, the sum is a lower bound") {
    Costed b{1};
    b.report(beat_with_usage(1000, 0.75));
    b.report(beat_with_usage(200));
    const BudgetStatus status = b.status();
    CHECK(known_cost(status) == CostKnown::kPart);
    CHECK(status.pressure == Approx(75));
    CHECK(cap_doubt(status) ==
          "the cap of $1.00 holds only in part: no cost is known of 200 tokens");
    CHECK(budget_figures(status).find("at least $0.75 of $1.00") != std::string::npos);
}

TEST_CASE("cost: estimates count, and are told apart") {
    Costed b{1};
    b.report(estimated(1000, 0.25));
    b.report(beat_with_usage(1000, 0.5));
    CHECK(b.status().cost.used == 750'000);
    CHECK(b.status().parts.estimated_micros == 250'000);
    CHECK(known_cost(b.status()) == CostKnown::kAll);
}

TEST_CASE("cost: said apart from the tokens it replaces the estimates of the same answers") {
    SECTION("after them") {
        Costed b{10};
        b.report(estimated(1000, 1.25));
        b.report(beat_with_usage(0, 1.0));
        CHECK(b.status().cost.used == 1'250'000);  // of 1.25 estimated and 1.00 said the larger
        CHECK(b.status().parts.estimated_micros == 250'000);
        b.report(beat_with_usage(0, 0.5));
        CHECK(b.status().cost.used == 1'500'000);
        CHECK(b.status().parts.estimated_micros == 0);
    }
    SECTION("before them") {
        Costed b{10};
        b.report(beat_with_usage(0, 1.0));
        b.report(estimated(1000, 0.75));
        CHECK(b.status().cost.used == 1'000'000);
        CHECK(b.status().parts.estimated_micros == 0);
    }
    SECTION("beside answers that said theirs themselves") {
        Costed b{10};
        b.report(beat_with_usage(1000, 2.0));
        b.report(estimated(1000, 1.0));
        b.report(beat_with_usage(0, 1.5));
        CHECK(b.status().cost.used == 3'500'000);
    }
    SECTION("of tokens without a price") {
        Costed b{10};
        b.report(beat_with_usage(1000));
        b.report(beat_with_usage(0, 1.5));
        CHECK(known_cost(b.status()) == CostKnown::kAll);
    }
}

TEST_CASE("cost: a model that costs nothing has a known cost") {
    Costed b{1};
    b.report(estimated(5'000'000, 0));
    CHECK(known_cost(b.status()) == CostKnown::kAll);
    CHECK(cap_doubt(b.status()).empty());
}
