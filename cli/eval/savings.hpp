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

/// One way to stop sessions, over sessions of which the labels say how they ended.
struct Savings {
    std::string rule;
    std::size_t successes = 0;    ///< that the rule can judge: a timer needs times
    std::size_t stopped = 0;      ///< of these
    std::optional<double> lost;   ///< share of the calls of successes that would not have been made
    std::optional<double> saved;  ///< the same of failures
};

/// Headway's first `stuck`, simple rules and timers, in the order in which they are shown.
std::vector<Savings> savings_of(std::span<const JudgedSession* const> sessions);

}  // namespace headway::cli
