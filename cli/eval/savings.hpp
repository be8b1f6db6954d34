// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/eval/eval_metrics.hpp"

// Savings and losses of stopping each session at the first alarm of a rule. Pure.

namespace headway::cli {

/// One way to stop sessions, over sessions whose end the labels give.
struct Savings {
    std::string rule;
    std::size_t successes = 0;    ///< successes that the rule can judge: a timer needs times
    std::size_t stopped = 0;      ///< successes that the rule stops
    std::optional<double> lost;   ///< share of the calls of successes that a stop would prevent
    std::optional<double> saved;  ///< the same for failures
};

/// Headway's first `stuck`, simple rules and timers, in the order in which they are shown.
std::vector<Savings> savings_of(std::span<const JudgedSession* const> sessions);

}  // namespace headway::cli
