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

/// Computes the tokens and cost that each line adds. A line reports a single answer of the model,
/// which an earlier line may have reported too, or the total so far. Nothing is counted twice; if
/// an agent's total is below the sum of its answers, the sum is kept. A total below the previous
/// one means that the agent was restarted. Pure.
class UseMeter {
public:
    /// The added tokens and cost, without an `answer`; nothing if the line adds none.
    std::optional<LineUse> add(const LineUse& line_use);
    /// `before`: the tokens used before this run. The total that a resumed agent reports includes
    /// these tokens; the total of any other agent does not.
    void start_from(const LineTokens& before);

private:
    LineUse answer_;      // tokens and cost of the last answer, as reported
    LineTokens counted_;  // all tokens so far
    double cost_ = 0;
    std::uint64_t total_ = 0;  // tokens in the last total
};

}  // namespace headway::cli
