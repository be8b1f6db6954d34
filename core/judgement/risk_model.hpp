// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/judgement/risk.hpp"

// Made by bench/risk/train.py (`./dev risk`) from recorded sessions; do not edit. docs/risk.md says
// what it is worth.

namespace headway::core {

inline constexpr RiskModel kRiskModel{
    -0.154015,
    {
        1.74176,   // calls
        2.009124,  // run
        -0.90324,  // information
        0.331961,  // informed
        0.490842,  // verifications
        -0.99612,  // hard
    },
};

}  // namespace headway::core
