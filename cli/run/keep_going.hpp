// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/base/json.hpp"
#include "cli/keep_going/keep_going_state.hpp"
#include "cli/keep_going/resume_plan.hpp"
#include "cli/run/other_writer.hpp"
#include "cli/run/reporter.hpp"
#include "cli/run/supervised_command.hpp"

namespace headway::cli {

struct KeepGoingOptions {
    ResumeRules rules;
    std::string check;           ///< command of a shell that decides about a clean end; empty: none
    std::string resume_command;  ///< of the user's own; empty: the agent's
    std::string state_folder;    ///< what all that are kept going share
    AgentHomes homes;
};

/// Starts an agent again in its conversation after it has ended. One thread, that of the run.
class KeepGoing {
public:
    using Words = std::vector<std::string>;
    using Say = std::function<void(const std::string& text)>;

    /// All of them live as long.
    KeepGoing(const KeepGoingOptions& options, const Words& first, const SignalGuard& signals,
              Reporter& reporter, CommandFigures& figures,
              const std::map<std::string, std::string>& environment, Say say);

    /// Waits as long as the plan says and gives the command of the next run; nothing: the run is
    /// over. Events of the session say what it waits for. `run` gets what the check says.
    std::optional<Words> after(RunOver& run, const SupervisedCommand& command);

    std::uint64_t resumes() const { return plan_.resumes(); }
    /// Why the run goes on no more; empty: it is complete.
    const std::string& why_over() const { return why_over_; }
    /// True if a person has ended it during a wait.
    bool cancelled() const { return cancelled_; }

private:
    enum class Wait : std::uint8_t { kDue, kInterrupted, kStopped, kTooLate, kOff };

    void check(RunOver& run);
    void begin_wait(const ResumeStep& step);
    void end_wait(const std::string& why);
    Wait wait_in_turn(ResumeStep& step, const std::string& agent);
    Wait wait_for(WallTime at);
    bool is_stopped(const Standing& standing);
    Standing standing();
    bool end_tree();
    bool same_folder() const;
    std::string why_not(Wait ended, const std::string& agent, const std::string& id,
                        std::uint64_t stored) const;
    std::optional<Words> over(std::string why);

    const KeepGoingOptions& options_;
    const Words first_;
    const SignalGuard& signals_;
    Reporter& reporter_;
    CommandFigures& figures_;
    const std::map<std::string, std::string>& environment_;
    const Say say_;
    const KeepGoingState state_;
    ResumePlan plan_;
    const WallTime latest_;  ///< no run begins later
    const std::string folder_;
    const std::string folder_is_;  ///< its device and inode when the run began
    std::uint64_t checks_ = 0;
    bool interrupted_ = false;  ///< while the check ran
    std::string why_over_;
    bool cancelled_ = false;
    /// The run before ended at a usage limit, and this one began at its reset.
    bool probed_ = false;
    Json waits_;  ///< the call that stands for the wait
};

}  // namespace headway::cli
