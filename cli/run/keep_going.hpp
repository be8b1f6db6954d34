// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/base/json.hpp"
#include "cli/keep_going/keep_going_state.hpp"
#include "cli/keep_going/other_writer.hpp"
#include "cli/keep_going/resume_plan.hpp"
#include "cli/process/check_command.hpp"
#include "cli/run/reporter.hpp"
#include "cli/run/supervised_command.hpp"

namespace headway::cli {

inline constexpr std::chrono::minutes kCheckMost{60};
/// How long an agent may stay after its result: its hooks for the end of a session take seconds.
inline constexpr std::chrono::minutes kStayMost{10};

struct KeepGoingOptions {
    ResumeRules rules;
    std::chrono::milliseconds check_most = kCheckMost;  ///< a longer check is ended, and has failed
    std::chrono::milliseconds stay_most = kStayMost;
    std::string check;      ///< shell command that decides if a clean end is final; empty: none
    std::string check_dir;  ///< folder of the check; empty: where the agent works
    /// The user's own command for a resume; empty: the agent's command.
    std::string resume_command;
    std::string state_folder;  ///< shared by all agents that are kept going
    AgentHomes homes;
};

/// A folder, and which one it was at first.
struct Place {
    std::string path;
    std::string identity;  ///< identity_of()
};

/// Device and inode of a folder; empty: there is none.
std::string identity_of(const std::string& folder);
/// The path without links and "..", for people.
std::string plain_path(const std::string& folder);

/// Starts an agent again in its conversation after it has ended. One thread, that of the run.
class KeepGoing {
public:
    using Words = std::vector<std::string>;
    using Say = std::function<void(const std::string& text)>;

    /// All references must outlive this object.
    KeepGoing(const KeepGoingOptions& options, const Words& first, const SignalGuard& signals,
              Reporter& reporter, CommandFigures& figures,
              const std::map<std::string, std::string>& environment, Say say);

    /// Waits as the plan requires and returns the command of the next run; nothing: no next run.
    /// The wait is reported as events of the session, and the result of the check is stored in
    /// `run`.
    std::optional<Words> after(RunOver& run, SupervisedCommand& command);

    /// To be called as soon as the agent has named its conversation.
    void note_conversation(const std::string& agent, const std::string& id);

    /// Why there is no next run; empty: the work is complete.
    const std::string& why_over() const { return why_over_; }
    /// True if a person ended the run during a wait or a check.
    bool cancelled() const { return cancelled_; }

private:
    enum class Wait : std::uint8_t { kDue, kInterrupted, kStopped, kTooLate, kMissed, kOff };

    Wait check(RunOver& run);
    CheckResult run_check();
    CheckResult::Ended check_ends();
    std::string too_long() const;
    void note_end(RunOver& run, Wait ended);
    void note_missed(RunOver& run) const;
    static std::string why_ended(Wait ended);
    void begin_wait(const ResumeStep& step, SupervisedCommand& command);
    void end_wait(const std::string& why);
    WallTime turn_of(const std::string& agent, WallTime wanted) const;
    Wait wait_in_turn(ResumeStep& step, const std::string& agent);
    Wait wait_for(WallTime at);
    bool is_stopped(const Standing& standing);
    Standing standing();
    bool end_tree();
    void note_folders(const SupervisedCommand& command);
    std::string why_not_checked() const;
    std::string replaced_folder() const;
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
    const WallTime latest_;  ///< no run begins after this time
    const Place here_;       ///< where the agent begins
    const Place works_;      ///< where it works, by the options of its command
    const Place checks_in_;  ///< where the check runs
    std::string elsewhere_;  ///< another folder, in which an agent said that it works
    std::uint64_t checks_ = 0;
    SteadyTime next_look_{};  ///< time at which a check looks at the session again
    std::string why_over_;
    bool cancelled_ = false;
    /// The previous run ended at a usage limit, and this run began at the limit's reset.
    bool probed_ = false;
    std::string agent_;         ///< the agent's own name for itself; empty: not known yet
    std::string conversation_;  ///< the first one that the agent named
    Json waits_;                ///< data of the tool call that reports the wait
};

}  // namespace headway::cli
