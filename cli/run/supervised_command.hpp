// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/base/clock.hpp"
#include "cli/conversations/used_before.hpp"
#include "cli/lines/agent_lines.hpp"
#include "cli/lines/retry_notes.hpp"
#include "cli/process/output_lines.hpp"
#include "cli/process/process.hpp"
#include "cli/run/reporter.hpp"

namespace headway::cli {

using std::chrono::milliseconds;

/// A command's figures for heartbeats. Any thread.
struct CommandFigures {
    std::atomic<std::int64_t> waits_until_ms{0};  ///< next start, in ms since 1970; 0: no wait
    std::atomic<std::uint64_t> waits{0};          ///< number of the current wait
    std::atomic<std::uint64_t> check{0};          ///< number of the running check; 0: none
    std::atomic<std::uint64_t> output_bytes{0};   ///< bytes of output of the command and of checks
    std::atomic<bool> is_agent{false};  ///< prints lines of an agent; its calls are the evidence
};

/// Runs one command: copies its output byte for byte to this program's output, reports its lines,
/// passes signals on, and stops it at a stop directive. Output is copied only as fast as it is
/// read; this never delays signals or a stop. Lines that an agent prints about itself are reported
/// as events. One thread; `signals`, `reporter` and Setup::figures must outlive this object.
class SupervisedCommand {
public:
    struct Setup {
        bool lines = true;  ///< whether to read lines of agents
        Json call;          ///< data of the `tool.finished` that closes the command's call
        AgentHomes homes;   ///< where agents keep their records
        /// An agent that reports a longer wait than this is ended; 0: never.
        milliseconds wait_max{0};
        CommandFigures& figures;
        std::string began = {};  ///< time before the command was started, in the journal's form
        RunBefore before = {};   ///< the run that this one may resume
        /// If an agent prints nothing for longer than this after its result, and has named no work
        /// that goes on, `say` is called; 0: never.
        milliseconds stay_max{0};
        bool end_stay = false;  ///< such an agent is ended as well
        /// The command is an agent's own program: after a signal that ends it, the processes that
        /// it has started are ended as well.
        bool own_program = false;
        /// An error that ends the agent's turn is kept back until tell_kept(), for at most 15 s, or
        /// until the next answer of the model, because the run may wait in the agent's place.
        bool keeps_errors = false;
        /// Another `headway run` reads the same output and counts its tokens and cost, so this one
        /// does not report them.
        bool counted_above = false;
        /// Shows a text to the user; required if `stay_max` is set.
        std::function<void(const std::string& text)> say{};
        /// Called with the agent's name and its id of the conversation, each time the agent names
        /// another conversation.
        std::function<void(const std::string& agent, const std::string& id)> in_conversation{};
        /// Called about once a second while the command runs; may be empty.
        std::function<void()> each_second{};
    };

    SupervisedCommand(Process process, const SignalGuard& signals, Reporter& reporter, Setup setup);

    /// Blocks until the command has exited and its output is copied.
    ExitStatus run();

    /// Reports the errors that were kept back (Setup::keeps_errors).
    void tell_kept();
    /// Drops the errors that were kept back, and returns the data of the last; null: there are
    /// none.
    Json take_kept();

    /// The directive that stopped the command, if any.
    const std::optional<StopDirective>& stopped_by() const { return stopped_by_; }

    /// True if a part of the command's standard output could not be written; not if only its reader
    /// is gone.
    bool lost_output() const { return streams_[0].loses; }

    /// True if standard output has no reader any more.
    bool unread() const { return unread_; }

    /// True if a signal that ends commands came from outside the command.
    bool interrupted() const { return interrupted_at_.has_value(); }

    /// The facts at the moment at which the command was ended because of a wait longer than
    /// Setup::wait_max: lines that it prints at the signal do not show the cause.
    const std::optional<RunFacts>& ended_for_wait() const { return ended_for_wait_; }

    /// The facts at the moment at which an agent that stayed after its result was ended.
    const std::optional<RunFacts>& ended_after_result() const { return kept_; }

    /// Adds the facts that the end of standard error shows. The error there is added only if the
    /// agent's lines have neither an error nor a result, and if there were no lines or the command
    /// failed. `called`: result of called_for_lines(); noted if there were no lines.
    void add_to(RunFacts& facts, const std::string& called, const ExitStatus& status);

    /// The agent's lines, if any.
    const AgentLines& agent() const { return agent_; }

private:
    struct Stream {
        const char* role;
        system::FileDescriptor from;
        int to;
        std::string pending;  // bytes that were read and are not yet all written
        std::size_t written = 0;
        OutputLines lines;
        bool loses = false;  // a part could not be written, and `say` was called
    };

    struct KeptError {
        LineEvent event;
        bool hooks_tell;
    };

    void poll_once();
    void pump(Stream& stream, const pollfd& source, const pollfd& sink);
    void write_pending(Stream& stream);
    void tell_of_loss(Stream& stream, int error);
    void read_more(Stream& stream);
    void take(Stream& stream);
    void take_errors(std::string_view bytes);
    void tell(const LineEvent& event, bool hooks_tell);
    void complete(LineEvent& error, const std::string& agent, const std::string& session) const;
    UsedBefore use_before(const RunBegins& run);
    void read_signals();
    void reap();
    void stop();
    void look_at_stay();
    void end_rest();
    std::vector<pid_t> tree() const;
    void end_tree();
    void kill_tree();
    bool outlived() const;
    void signal_tree(int signal) const;
    void report_lines(bool all);
    bool output_done() const;
    int poll_timeout() const;

    pid_t pid_;
    const SignalGuard& signals_;
    Reporter& reporter_;
    const Setup setup_;
    AgentLines agent_;
    RetryNotes retries_;
    OutputLines errors_;  // the last lines of standard error
    std::array<Stream, 2> streams_;
    std::optional<ExitStatus> status_;
    SteadyTime exited_at_;
    SteadyTime last_output_;
    SteadyTime next_report_;
    std::optional<SteadyTime> kill_at_;
    SteadyTime next_kill_;
    std::optional<StopDirective> stopped_by_;
    std::uint64_t bytes_after_exit_ = 0;  ///< bytes copied since the exit
    std::string conversation_;            ///< the conversation that was passed on last
    std::optional<RunFacts> kept_;
    std::optional<RunFacts> ended_for_wait_;
    std::vector<KeptError> kept_errors_;
    SteadyTime kept_until_;
    bool told_of_stay_ = false;
    bool ended_rest_ = false;
    bool knows_before_ = false;                 ///< the use before the run was read
    std::optional<SteadyTime> interrupted_at_;  ///< by the last signal that ends commands
    bool unread_ = false;
    mutable bool waits_long_ = false;  ///< the agent reported a wait longer than Setup::wait_max
};

}  // namespace headway::cli
