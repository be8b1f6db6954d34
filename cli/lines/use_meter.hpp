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

/// The use of a conversation before a run, which the totals of a resumed agent may include.
struct UsedBefore {
    LineTokens tokens;
    double cost_usd = 0;
    /// True if the agent is known to include this use in its totals; a smaller total then shows
    /// that it does not. Otherwise a total includes this use only if it is at least the sum of this
    /// use and the answers of the run.
    bool restored = false;
};

/// Computes the tokens and cost that each line adds. A line reports a single answer of the model,
/// which an earlier line may have reported too, or the total so far. Nothing is counted twice; if
/// an agent's total is below the sum of its answers, the sum is kept. A total below the previous
/// one means that the agent was restarted. Pure.
class UseMeter {
public:
    /// The added tokens and cost, without an `answer`; nothing if the line adds none.
    std::optional<LineUse> add(const LineUse& line_use);
    /// To be called before the first add(). The first total shows whether the agent's totals
    /// include `before`; if not, they began at zero.
    void start_from(const UsedBefore& before);
    /// All use that was counted, including the use before the run.
    UsedBefore counted() const { return {counted_, cost_, false}; }
    /// The use according to the last total; before the first total, the use before the run.
    const UsedBefore& last_total() const { return last_total_; }

private:
    void settle(const LineUse& first_total);

    LineUse answer_;      // tokens and cost of the last answer, as reported
    LineTokens counted_;  // all tokens so far
    double cost_ = 0;
    std::uint64_t total_ = 0;  // tokens in the last total
    UsedBefore before_;        // the use before the run, until the first total
    UsedBefore last_total_;
};

}  // namespace headway::cli
