// SPDX-License-Identifier: Apache-2.0
#include "core/judgement/risk.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/assert.hpp"
#include "core/judgement/risk_model.hpp"

namespace headway::core {
namespace {

/// Counts at which a feature is one half.
constexpr double kCallsHalf = 16;
constexpr double kRunHalf = 2;
constexpr double kVerificationsHalf = 4;

/// Rounds in Ledger::past_tiers and the current one.
constexpr std::size_t kTiersSeen = 16;
/// The exponent of the largest double is above it.
constexpr double kLogitMax = 40;

static_assert(limits::kRiskRunMax <= limits::kRecentCallsMax, "the ring holds the whole run");

constexpr double weights_sum() {
    double sum = std::max(kRiskModel.intercept, -kRiskModel.intercept);
    for (const double weight : kRiskModel.weights)
        sum += std::max(weight, -weight);
    return sum;
}
static_assert(weights_sum() < kLogitMax, "no risk overflows");
static_assert(sizeof(kRiskModel) <= 16'384, "the model stays small");

/// 0 for none, towards 1 for many: no count is too large.
double saturated(std::uint64_t count, double half) {
    HEADWAY_ASSERT(half > 0);
    const auto value = static_cast<double>(count);
    return value / (value + half);
}

/// Counters may wrap, so a part may be larger than its whole.
double share(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return 0;
    return static_cast<double>(std::min(part, whole)) / static_cast<double>(whole);
}

/// Share of the last rounds that gave the first answer to a question and nothing better.
double information_share(const Ledger& ledger) {
    const std::uint64_t current = static_cast<std::uint64_t>(ledger.round_tier) + 1;
    std::uint64_t tiers = ledger.past_tiers << 4 | current;
    std::uint64_t rounds = 0;
    std::uint64_t informed = 0;
    for (; tiers != 0 && rounds < kTiersSeen; tiers >>= 4) {
        ++rounds;
        if ((tiers & 0xf) == static_cast<std::uint64_t>(Tier::kInformation) + 1) ++informed;
    }
    HEADWAY_ASSERT(rounds >= 1 && informed <= rounds);
    return share(informed, rounds);
}

/// How many calls before the last one were equal to it, in a row.
std::uint64_t run_before_last(const Ledger& ledger) {
    const CallMark* const last = ledger.back(0);
    if (last == nullptr) return 0;
    std::size_t length = 1;
    while (length < limits::kRiskRunMax) {
        const CallMark* const before = ledger.back(length);
        if (before == nullptr || before->key != last->key) break;
        ++length;
    }
    HEADWAY_ASSERT(length >= 1 && length <= limits::kRiskRunMax);
    return length - 1;
}

}  // namespace

RiskFeatures risk_features(const SessionState& state) {
    const Ledger& ledger = *state.ledger;
    const RiskFeatures features{
        saturated(state.tool_calls, kCallsHalf),
        saturated(run_before_last(ledger), kRunHalf),
        information_share(ledger),
        share(ledger.informed_rounds, ledger.rounds),
        saturated(ledger.verifications.size(), kVerificationsHalf),
        ledger.hard_round != 0 ? 1.0 : 0.0,
    };
    for (const double feature : features)
        HEADWAY_ASSERT(feature >= 0 && feature <= 1);
    return features;
}

double risk_of(const RiskFeatures& features) {
    double sum = kRiskModel.intercept;
    for (std::size_t i = 0; i < features.size(); ++i)
        sum += kRiskModel.weights[i] * features[i];
    HEADWAY_ASSERT(std::abs(sum) <= kLogitMax);
    const double risk = 1 / (1 + std::exp(-sum));
    HEADWAY_ASSERT(risk >= 0 && risk <= 1);
    return risk;
}

std::optional<double> shown_risk(const SessionState& state) {
    if (!state.policy->risk || state.ended() || state.tool_calls == 0) return std::nullopt;
    return risk_of(risk_features(state));
}

}  // namespace headway::core
