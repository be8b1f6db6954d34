// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "cli/lines/agent_line.hpp"

namespace headway::cli {

/// Tokens and cost without what no agent can have used: a report with that would be refused. Pure.
LineUse believable(LineUse reported);

/// The use as a report has it: parts that are 0 or unknown are left out, except for input and
/// output. Pure.
Json usage_json(const LineUse& use);

/// Use since the last line that reported it, whether lines report one answer of the model (perhaps
/// several times) or everything so far. Nothing is counted twice; where an agent's total is below
/// the sum of its answers, the sum stands. A total below the one before is that of an agent that
/// was started again. Pure.
class UseMeter {
public:
    /// Nothing where nothing was used. `answer` of what comes back means nothing.
    std::optional<LineUse> add(const LineUse& line_use);
    /// Used before this run: an agent that goes on counts it in its total, and another does not.
    void start_from(const LineTokens& before);

private:
    LineUse answer_;      // the last answer, as reported
    LineTokens counted_;  // all of it so far
    double cost_ = 0;
    std::uint64_t total_ = 0;  // tokens of the last total
};

}  // namespace headway::cli
