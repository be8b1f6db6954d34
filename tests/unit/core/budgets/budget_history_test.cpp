// SPDX-License-Identifier: Apache-2.0
#include "core/budgets/budget_history.hpp"

#include <catch2/catch.hpp>

#include "tests/support/budgeted.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

UseRecord record(std::string agent, Outcome outcome, std::uint64_t steps) {
    UseRecord use_record;
    use_record.agent = std::move(agent);
    use_record.outcome = outcome;
    use_record.steps = steps;
    use_record.elapsed_ms = steps * 10'000;
    use_record.tokens = steps * 100;
    use_record.cost_micros = steps * 1000;
    return use_record;
}

std::vector<UseRecord> completed(std::initializer_list<std::uint64_t> steps) {
    std::vector<UseRecord> records;
    for (const std::uint64_t count : steps)
        records.push_back(record("plan", Outcome::kCompleted, count));
    return records;
}

}  // namespace

TEST_CASE("budget history: percentiles are by nearest rank", "[budget]") {
    CHECK(percentile({}, 50) == 0);
    CHECK(percentile({7}, 10) == 7);
    CHECK(percentile({7}, 90) == 7);
    CHECK(percentile({5, 1, 4, 2, 3}, 50) == 3);
    CHECK(percentile({5, 1, 4, 2, 3}, 90) == 5);
    CHECK(percentile({10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 10) == 1);
    CHECK(percentile({10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 90) == 9);
}

TEST_CASE("budget history: sessions are summed up by agent type and outcome", "[budget]") {
    std::vector<UseRecord> records = completed({1, 2, 3, 4});
    records.push_back(record("plan", Outcome::kFailed, 9));
    records.push_back(record("explore", Outcome::kCompleted, 5));
    const auto summaries = summarize(records);
    REQUIRE(summaries.size() == 3);
    CHECK(summaries[0].agent == "explore");
    CHECK(summaries[1].agent == "plan");
    CHECK(summaries[1].outcome == Outcome::kCompleted);
    CHECK(summaries[1].count == 4);
    CHECK(summaries[1].steps.p50 == 2);
    CHECK(summaries[1].steps.p90 == 4);
    CHECK(summaries[1].elapsed_ms.p90 == 40'000);
    CHECK(summaries[1].tokens.p50 == 200);
    CHECK(summaries[1].cost_micros.p90 == 4'000);
    CHECK(summaries[2].outcome == Outcome::kFailed);
    CHECK(summaries[2].count == 1);
}

TEST_CASE("budget history: a prediction uses sessions that used at least as much", "[budget]") {
    const auto records = completed({10, 12, 14, 20, 30});
    const BudgetPrediction fresh = predict("plan", records, 0, 0);
    CHECK(fresh.history == 5);
    REQUIRE(fresh.steps.has_value());
    CHECK(fresh.steps->samples == 5);
    CHECK(fresh.steps->p50 == 14);
    CHECK(fresh.steps->p10 == 10);
    CHECK(fresh.steps->p90 == 30);
    const BudgetPrediction later = predict("plan", records, 13, 150'000);
    CHECK(later.steps->samples == 3);
    CHECK(later.steps->p10 == 1);
    CHECK(later.steps->p50 == 7);
    CHECK(later.steps->p90 == 17);
    CHECK(later.seconds->samples == 2);
    CHECK(later.seconds->p50 == 50);
    const BudgetPrediction beyond = predict("plan", records, 31, 0);
    CHECK_FALSE(beyond.steps.has_value());
    CHECK(beyond.seconds.has_value());
}

TEST_CASE("budget history: without five completed sessions nothing is predicted", "[budget]") {
    auto records = completed({1, 2, 3, 4});
    records.push_back(record("plan", Outcome::kBudgetExhausted, 50));
    const BudgetPrediction prediction = predict("plan", records, 0, 0);
    CHECK(prediction.history == 4);
    CHECK_FALSE(prediction.steps.has_value());
    CHECK_FALSE(prediction.seconds.has_value());
}

TEST_CASE("budget history: an ended session is recorded with its counted use", "[budget]") {
    Budgeted b{step_limit(50)};
    b.step(1'000);
    b.report(beat_with_usage(42, 0.5), 2'000);
    b.report(event(StateChanged{AgentState::kAwaitingPermission, {}, {}, false, {}}), 2'000);
    b.report(event(StateChanged{AgentState::kProcessingPrompt, {}, {}, false, {}}), 61'000);
    b.report(ended(Outcome::kFailed), 62'000);
    const UseRecord noted = use_record_of(b.session.state());
    CHECK(noted.outcome == Outcome::kFailed);
    CHECK(noted.elapsed_ms == 3'000);
    CHECK(noted.steps == 1);
    CHECK(noted.tokens == 42);
    CHECK(noted.cost_micros == 500'000);
    CHECK(noted.ended_at == at(62'000));
}
