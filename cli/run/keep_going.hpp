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
#include "cli/keep_going/run_record.hpp"
#include "cli/process/check_command.hpp"
#include "cli/run/reporter.hpp"
#include "cli/run/supervised_command.hpp"

namespace headway::cli {

/// How long a check may take by default.
inline constexpr std::chrono::minutes kCheckMost{60};
/// How long an agent may stay after its result by default: its hooks for the end of a session take
/// seconds.
inline constexpr std::chrono::minutes kStayMost{10};

struct KeepGoingOptions {
    ResumeRules rules;
    std::chrono::milliseconds check_most = kCheckMost;  ///< a longer check is ended, and has failed
    std::chrono::milliseconds stay_most = kStayMost;
    std::string check;      ///< shell command that decides if a clean end is final; empty: none
    std::string check_dir;  ///< folder of the check; empty: where the agent works
    /// The user's own command for a resume; empty: the agent's command.
    std::string resume_command;
    std::string resume_text;   ///< added to the prompt of each resume; empty: nothing
    std::string state_folder;  ///< shared by all agents that are kept going
    bool by_settings = false;  ///< switched on by [keep_going] in the configuration, which also
                               ///< applies to commands that are not agents
    AgentHomes homes;
};

/// Device and inode of a folder; empty: there is none.
std::string identity_of(const std::string& folder);
/// The path without links and "..", for people.
std::string plain_path(const std::string& folder);

/// Sets the folders of a new run, from its command, its options and the current folder.
void record_folders(RunRecord& record);

/// The record of a run, and its file. One thread, that of the run.
class RecordKeeper {
public:
    using Say = std::function<void(const std::string& text)>;

    /// `file`: a RecordFile that holds no record if the run is not continued after a restart. All
    /// references must outlive this object.
    RecordKeeper(RecordFile& file, RunRecord record, const Reporter& reporter, Say say);

    const RunRecord& record() const { return record_; }
    /// Changes the record, and writes it if it differs from the one written last. If the file
    /// cannot be written, `say` is called once, and the run goes on.
    void change(const std::function<void(RunRecord&)>& change);
    /// Updates the record with the session that is open now.
    void refresh();

private:
    RecordFile& file_;
    RunRecord record_;
    const Reporter& reporter_;
    const Say say_;
    bool failed_ = false;
};

/// Starts an agent again in its conversation after it has ended. One thread, that of the run.
class KeepGoing {
public:
    using Words = std::vector<std::string>;
    using Say = std::function<void(const std::string& text)>;

    /// All references must outlive this object.
    KeepGoing(const KeepGoingOptions& options, const Words& first, const SignalGuard& signals,
              Reporter& reporter, CommandFigures& figures,
              const std::map<std::string, std::string>& environment, Say say, RecordKeeper& keeper);

    /// Like after(), for a run of which only the record is left: goes on where the run was cut off,
    /// and changes to the folder in which it began. `run`: its end, as far as the record shows it.
    std::optional<Words> go_on(RunOver& run);

    /// Waits as the plan requires and returns the command of the next run; nothing: no next run.
    /// The wait is reported as events of the session, and the result of the check is stored in
    /// `run`.
    std::optional<Words> after(RunOver& run, SupervisedCommand& command);

    /// To be called as soon as the agent has named its conversation.
    void note_conversation(const std::string& agent, const std::string& id);
    /// To be called as soon as the agent has been started.
    void note_start(std::int64_t pid);
    /// To be called about once a second while the agent works, because its session may go on as
    /// another generation.
    void note_session() { keeper_.refresh(); }

    /// Why there is no next run; empty: the work is complete, or the command was no agent's
    /// (KeepGoingOptions::by_settings).
    const std::string& why_over() const { return why_over_; }
    /// True if a signal or a stop of the session ended a wait or a check, or prevented a check, or
    /// if `headway keep-going off` ended a check.
    bool cancelled() const { return cancelled_; }

private:
    enum class Wait : std::uint8_t { kDue, kInterrupted, kStopped, kTooLate, kMissed, kOff };

    std::optional<Words> next(RunOver& run, SupervisedCommand* command);
    std::optional<Words> wait(RunOver& run, ResumeStep step, std::uint64_t stored);
    core::Result<Words> command_of(const ResumeStep& step) const;
    std::string cannot_go_on();
    bool is_another(const std::string& id) const;
    Wait check(RunOver& run);
    CheckResult run_check();
    CheckResult::Ended check_ends();
    std::string too_long() const;
    void note_end(RunOver& run, Wait ended);
    void note_missed(RunOver& run) const;
    std::string why_ended(Wait ended) const;
    void begin_wait(const ResumeStep& step, Json error);
    void put_wait(const ResumeStep& step, std::uint64_t stored);
    void end_wait(const std::string& why);
    WallTime turn_of(const std::string& agent, WallTime wanted) const;
    Wait wait_in_turn(ResumeStep& step);
    Wait wait_for(WallTime at);
    bool is_stopped(const Standing& standing);
    Standing standing();
    bool end_tree();
    void note_folders(const SupervisedCommand& command);
    std::string why_not_checked() const;
    std::string replaced_folder() const;
    std::string why_not(Wait ended, std::uint64_t stored) const;
    std::optional<Words> over(std::string why);

    const KeepGoingOptions& options_;
    const Words first_;
    const SignalGuard& signals_;
    Reporter& reporter_;
    CommandFigures& figures_;
    const std::map<std::string, std::string>& environment_;
    const Say say_;
    RecordKeeper& keeper_;
    const KeepGoingState state_;
    ResumePlan plan_;
    const WallTime latest_;     ///< no run begins after this time
    RecordedFolder here_;       ///< where the agent begins
    RecordedFolder works_;      ///< where it works, by the options of its command
    RecordedFolder checks_in_;  ///< where the check runs
    std::string elsewhere_;     ///< another folder in which the agent says that it works
    std::uint64_t checks_ = 0;
    SteadyTime next_look_{};  ///< time at which a check looks at the session again
    std::string why_over_;
    bool cancelled_ = false;
    /// The previous run ended at a usage limit, and this run began at the limit's reset.
    bool probed_ = false;
    std::string agent_;         ///< the agent's own name for itself; empty: not known yet
    std::string conversation_;  ///< its id of the conversation
    std::string began_in_;      ///< the conversation that it named first
    bool now_ = false;          ///< a person has ended the wait
    /// The daemon has not replied since the run was continued from its record, or since it was
    /// asked right before a start: a person may have stopped the session in the meantime.
    bool unseen_ = false;
    Json waits_;  ///< data of the tool call that reports the wait
};

}  // namespace headway::cli
