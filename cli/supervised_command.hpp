// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/clock.hpp"
#include "cli/output_lines.hpp"
#include "cli/process.hpp"
#include "cli/reporter.hpp"

namespace headway::cli {

/// The signals of this process while a command runs: blocked for every thread and read from a
/// descriptor. Create it before any thread; afterwards the mask is as before.
class SignalGuard {
public:
    SignalGuard();
    ~SignalGuard();
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;

    int fd() const { return fd_.get(); }
    const sigset_t& outer_mask() const { return outer_; }

private:
    sigset_t outer_{};
    FileDescriptor fd_;
};

/// Runs one command: copies its output to ours byte for byte, reports lines of it, passes signals
/// on, stops it when told to. Output is copied only as fast as our own reader takes it, and never
/// delays signals or a stop.
class SupervisedCommand {
public:
    SupervisedCommand(Process process, const SignalGuard& signals, Reporter& reporter,
                      std::atomic<std::uint64_t>& output_bytes);

    /// Blocks until the command has exited and its output is copied.
    ExitStatus run();

    /// The directive that stopped it, if one did.
    const std::optional<StopDirective>& stopped_by() const { return stopped_by_; }

private:
    struct Stream {
        const char* role;
        FileDescriptor from;
        int to;
        std::string pending;  // read, not yet all written
        std::size_t written = 0;
        OutputLines lines;
    };

    void poll_once();
    void pump(Stream& stream, const pollfd& source, const pollfd& sink);
    void write_pending(Stream& stream);
    void read_more(Stream& stream);
    void read_signals();
    void reap();
    void stop();
    void signal_tree(int signal) const;
    void report_lines(bool all);
    bool output_done() const;
    int poll_timeout() const;

    pid_t pid_;
    const SignalGuard& signals_;
    Reporter& reporter_;
    std::atomic<std::uint64_t>& output_bytes_;
    std::array<Stream, 2> streams_;
    std::optional<ExitStatus> status_;
    SteadyTime exited_at_;
    SteadyTime last_output_;
    SteadyTime next_report_;
    std::optional<SteadyTime> kill_at_;
    std::optional<StopDirective> stopped_by_;
};

}  // namespace headway::cli
