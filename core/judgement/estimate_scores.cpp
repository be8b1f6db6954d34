// SPDX-License-Identifier: Apache-2.0
#include "core/judgement/estimate_scores.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/assert.hpp"

namespace headway::core {

std::vector<EstimateScore> score_estimates(std::span<const EstimateMade> estimates,
                                           std::uint64_t calls, Outcome outcome) {
    std::vector<EstimateScore> scores;
    if (calls == 0) return scores;
    std::map<std::tuple<std::string, std::string, std::uint64_t>, EstimateScore> by_key;
    for (const EstimateMade& one : estimates) {
        const double percent = one.percent > 0 ? std::min(one.percent, 100.0) : 0.0;
        const auto decile =
            std::min<std::uint64_t>(static_cast<std::uint64_t>(percent / 10), kDeciles - 1);
        HEADWAY_ASSERT(decile < kDeciles);
        EstimateScore& score = by_key[{one.source, one.model, decile}];
        score.source = one.source;
        score.model = one.model;
        score.decile = decile;
        ++score.count;
        if (outcome == Outcome::kCompleted) ++score.completed;
        const double share =
            static_cast<double>(std::min(one.calls, calls)) / static_cast<double>(calls);
        const std::int64_t error = std::llround((percent - 100 * share) * 1000);
        score.abs_error_milli += std::abs(error);
        score.signed_error_milli += error;
        HEADWAY_ASSERT(std::abs(error) <= 100'000);
        HEADWAY_ASSERT(score.completed <= score.count);
        HEADWAY_ASSERT(std::abs(score.signed_error_milli) <= score.abs_error_milli);
    }
    HEADWAY_ASSERT(by_key.size() <= estimates.size());
    for (auto& [key, score] : by_key)
        scores.push_back(std::move(score));
    return scores;
}

std::vector<EstimateSummary> summarize_estimates(std::span<const EstimateScore> scores) {
    struct Sums {
        EstimateSummary summary;
        std::int64_t abs_error = 0;
        std::int64_t signed_error = 0;
    };
    std::map<std::pair<std::string, std::string>, Sums> by_model;
    for (const EstimateScore& score : scores) {
        if (score.decile >= kDeciles) continue;
        Sums& sums = by_model[{score.source, score.model}];
        sums.summary.source = score.source;
        sums.summary.model = score.model;
        sums.summary.count += score.count;
        sums.summary.completed += score.completed;
        sums.summary.deciles[score.decile].count += score.count;
        sums.summary.deciles[score.decile].completed += score.completed;
        sums.abs_error += score.abs_error_milli;
        sums.signed_error += score.signed_error_milli;
    }
    std::vector<EstimateSummary> summaries;
    for (auto& [key, sums] : by_model) {
        if (sums.summary.count == 0) continue;
        const double points = 1000 * static_cast<double>(sums.summary.count);
        sums.summary.mean_abs_error = static_cast<double>(sums.abs_error) / points;
        sums.summary.bias = static_cast<double>(sums.signed_error) / points;
        summaries.push_back(std::move(sums.summary));
    }
    return summaries;
}

}  // namespace headway::core
