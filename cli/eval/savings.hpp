// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/eval/eval_metrics.hpp"

// The calls saved and lost if each session is stopped at the first alarm of a rule. Pure.

namespace headway::cli {

/// The result of one rule that stops sessions, over the sessions whose outcome is labelled.
struct Savings {
    std::string rule;
    std::size_t successes = 0;  ///< successes that the rule can judge; a timer needs timestamps
    std::size_t stopped = 0;    ///< successes that the rule stops
    /// Share of the calls of successes that a stop would have prevented.
    std::optional<double> lost;
    /// Share of the calls of failures that a stop would have prevented.
    std::optional<double> saved;
};

/// The savings of each rule, in display order: Headway's first `stuck`, the simple rules, the
/// timers.
std::vector<Savings> savings_of(std::span<const JudgedSession* const> sessions);

}  // namespace headway::cli
