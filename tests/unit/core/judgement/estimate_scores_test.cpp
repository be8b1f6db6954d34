// SPDX-License-Identifier: Apache-2.0
#include "core/judgement/estimate_scores.hpp"

#include <catch2/catch.hpp>

using namespace headway::core;

namespace {

EstimateMade made(double percent, std::uint64_t calls, std::string model = "m1") {
    return {1, percent, calls, "judge", std::move(model)};
}

}  // namespace

TEST_CASE("scores: an estimate is measured by the share of the calls that had been made",
          "[core]") {
    const std::vector<EstimateMade> all{made(30, 5), made(35, 1)};
    const auto scores = score_estimates(all, 10, Outcome::kCompleted);
    REQUIRE(scores.size() == 1);
    CHECK(scores[0] == EstimateScore{"judge", "m1", 3, 2, 2, 20'000 + 25'000, -20'000 + 25'000});
}

TEST_CASE("scores: sources, models and deciles are separate; 100 belongs to the last", "[core]") {
    std::vector<EstimateMade> all{made(100, 10), made(90, 10, "m2"), made(9.99, 1)};
    all.push_back({4, 95, 9, "agent", ""});
    const auto scores = score_estimates(all, 10, Outcome::kFailed);
    REQUIRE(scores.size() == 4);
    CHECK(scores[0].source == "agent");
    CHECK(scores[1].decile == 0);
    CHECK(scores[2].decile == 9);
    CHECK(scores[3].model == "m2");
    for (const EstimateScore& score : scores)
        CHECK(score.completed == 0);
}

TEST_CASE("scores: a session without calls has no share to measure by", "[core]") {
    CHECK(score_estimates(std::vector{made(50, 0)}, 0, Outcome::kCompleted).empty());
}

TEST_CASE("scores: the summary has means by model and completion by decile", "[core]") {
    const std::vector<EstimateScore> scores{{"judge", "m1", 3, 2, 2, 45'000, 5'000},
                                            {"judge", "m1", 9, 2, 1, 5'000, -5'000},
                                            {"judge", "m2", 0, 1, 0, 1'000, 1'000}};
    const auto summaries = summarize_estimates(scores);
    REQUIRE(summaries.size() == 2);
    CHECK(summaries[0].count == 4);
    CHECK(summaries[0].completed == 3);
    CHECK(summaries[0].mean_abs_error == 12.5);
    CHECK(summaries[0].bias == 0);
    CHECK(summaries[0].deciles[9].count == 2);
    CHECK(summaries[0].deciles[9].completed == 1);
    CHECK(summaries[1].bias == 1);
}
