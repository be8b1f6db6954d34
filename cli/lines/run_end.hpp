// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/lines/agent_line.hpp"
#include "cli/process/process.hpp"
#include "core/values/cause.hpp"

// How the run of an agent ended, from its lines and its exit status. An exit status of 0 is no
// success by itself: some agents have no other.

namespace headway::cli {

/// The lines of an agent that bear on its end.
struct RunFacts {
    static constexpr std::size_t kNoticesMax = 8;
    static constexpr std::size_t kRefusedMax = 8;  ///< as many names as people read

    std::string agent;  ///< that spoke last; empty: none did, and the exit status is the outcome
    std::optional<LineResult> result;
    /// Data of the last error.reported after which the model gave no answer.
    std::optional<Json> error;
    std::vector<std::string> notices;  ///< its warnings about its own run, the last ones
    /// The tools of calls that its rules refused, since the last call that changed something.
    std::vector<std::string> refused;
    bool answered = false;  ///< there was a message, a call or tokens of an answer
    bool changed = false;   ///< a call ended well that does more than read

    void note_notice(const std::string& words);
    void note_refused(const std::string& tool);
};

struct RunEnd {
    bool completed = false;
    std::string reason;
    core::Cause cause = core::Cause::kNone;
    std::string retry_at;  ///< by the provider; empty: unknown
    /// An HTTP status that only the exit status says.
    std::optional<std::uint64_t> status;
    bool guarded = false;  ///< its own guard against loops ended it
    bool refused = false;  ///< calls were refused, and nothing was done after that
};

/// Pure.
RunEnd run_end(const RunFacts& facts, const ExitStatus& exit);

}  // namespace headway::cli
