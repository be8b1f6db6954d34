// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "cli/lines/agent_line.hpp"

namespace headway::cli {

/// `reported` without figures that are impossible and would make the daemon refuse the report.
/// Pure.
LineUse believable(LineUse reported);

/// Tokens and cost as JSON, in the form of a report. Parts that are 0 or unknown are left out,
/// except input and output. Pure.
Json usage_json(const LineUse& use);

/// Computes the use that each line adds, whether lines report single answers of the model (perhaps
/// several times) or the total so far. Nothing is counted twice; if an agent's total is below the
/// sum of its answers, the sum is kept. A total below the previous one means that the agent was
/// restarted. Pure.
class UseMeter {
public:
    /// The new use; nothing if there is none. Its `answer` is not set.
    std::optional<LineUse> add(const LineUse& line_use);
    /// `before`: use before this run. The total that a resumed agent reports includes that use; the
    /// total of any other agent does not.
    void start_from(const LineTokens& before);

private:
    LineUse answer_;      // the last answer, as reported
    LineTokens counted_;  // all use so far
    double cost_ = 0;
    std::uint64_t total_ = 0;  // tokens of the last total
};

}  // namespace headway::cli
