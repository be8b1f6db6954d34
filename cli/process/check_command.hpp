// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cli/base/clock.hpp"
#include "cli/process/process.hpp"

namespace headway::cli {

/// The result of a check.
struct CheckResult {
    /// Why the check was stopped before it ended by itself.
    enum class Ended : std::uint8_t { kNot, kTooLong, kInterrupted, kStopped, kPaused, kOff };

    ExitStatus exit;
    std::string output;  ///< the last part of the output, without NUL bytes
    Ended ended = Ended::kNot;

    bool passed() const { return exit.code == 0 && ended == Ended::kNot; }
};

/// Runs one check, a shell command. At a signal, at the time limit, and when `ends` requires it,
/// the processes of the check get SIGTERM and, ten seconds later, SIGKILL. These are the
/// descendants of the check's shell, and all other descendants of this process that began after the
/// check. Such another descendant is left out if its environment does not have the mark of the
/// check, because a server of the agent may start processes meanwhile.
class CheckCommand {
public:
    struct Setup {
        std::string command;
        std::string folder;  ///< where it runs
        const std::map<std::string, std::string>& environment;
        const sigset_t& mask;
        int signals;                         ///< descriptor of SignalGuard
        std::chrono::milliseconds most;      ///< time limit of the check
        std::atomic<std::uint64_t>& output;  ///< increases by the size of the output
        /// Called about once a second; returns the reason why the check must stop, or kNot.
        std::function<CheckResult::Ended()> ends;
    };

    explicit CheckCommand(const Setup& setup) : setup_(setup) {}

    CheckResult run();

private:
    void poll_once();
    void end(CheckResult::Ended why);
    void signal_all(int signal) const;
    std::vector<pid_t> own_processes() const;
    void read_tail(system::FileDescriptor& from);

    const Setup& setup_;
    /// Processes that existed before the check, such as a server of the agent, each with its
    /// process_began().
    std::vector<std::pair<pid_t, std::string>> before_;
    std::string mark_;  // value of HEADWAY_CHECK in the environment of the check
    Process process_;
    std::string tail_;
    std::optional<int> status_;
    CheckResult::Ended ended_ = CheckResult::Ended::kNot;
    std::optional<SteadyTime> kill_at_;
    bool quiet_ = false;  ///< true if no output came for a moment
};

/// True if a signal that ends commands has come. Reaps all children that have ended; `status` gets
/// the status of `watched`.
bool read_end_signals(int fd, pid_t watched, std::optional<int>& status);

}  // namespace headway::cli
