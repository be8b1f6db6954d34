// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/judgement/risk.hpp"

// Made by bench/risk/train.py (`./dev risk`): what the trained model says, computed in Python.

namespace headway::tests {

struct RiskExample {
    core::RiskFeatures features;
    double risk;
};

// clang-format off
inline constexpr RiskExample kRiskExamples[] = {
    {{0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000}, 0.461572181},
    {{1.0000, 1.0000, 1.0000, 1.0000, 1.0000, 1.0000}, 0.925553556},
    {{0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000}, 0.765513440},
    {{0.0000, 0.1667, 0.3333, 0.5000, 0.6667, 0.8333}, 0.387701106},
};
// clang-format on

}  // namespace headway::tests
