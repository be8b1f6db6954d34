// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "core/state/session_state.hpp"

// Learned risk (docs/risk.md): the probability that a session fails or is stuck within its next 20
// calls. A view of the state beside the verdict: nothing is folded, and no verdict depends on it.

namespace headway::core {

/// Inputs of the model. The order is that of RiskFeatures and of the model's weights.
inline constexpr std::array<std::string_view, 6> kRiskFeatureNames{
    "calls", "run", "information", "informed", "verifications", "hard"};
inline constexpr std::size_t kRiskFeatureCount = kRiskFeatureNames.size();

/// Each from 0 to 1.
using RiskFeatures = std::array<double, kRiskFeatureCount>;

/// A logistic regression; bench/risk/train.py makes its values.
struct RiskModel {
    double intercept = 0;
    std::array<double, kRiskFeatureCount> weights{};
};

/// Counts and shares that the state has anyway. Constant time. Pure.
RiskFeatures risk_features(const SessionState& state);

/// From 0 to 1. Pure.
double risk_of(const RiskFeatures& features);

/// The risk that readers see; nothing without Policy::risk, before the first finished call, and
/// after the end. Pure.
std::optional<double> shown_risk(const SessionState& state);

}  // namespace headway::core
