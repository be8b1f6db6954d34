// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "server/outbound/webhooks/webhook_messages.hpp"
#include "server/outbound/webhooks/webhook_target.hpp"
#include "server/time/clock.hpp"
#include "system/file_descriptor.hpp"

namespace headway::server {

/// One run of a command that receives a message. The command runs as a process in its own process
/// group, without a shell, with three descriptors and a few environment variables. Arguments and
/// variables contain only text from the configuration and the message's id; text from an agent is
/// only on standard input. Only the start of the process blocks. To be used by one thread.
class CommandRun {
public:
    /// Starts the command. `target` must outlive this object. Throws std::system_error on failure.
    CommandRun(const WebhookTarget& target, WebhookJob job, std::string_view link);
    CommandRun(const CommandRun&) = delete;
    CommandRun& operator=(const CommandRun&) = delete;
    /// Kills the process group.
    ~CommandRun();

    /// Adds to `polls` the events that turn() waits for.
    void wait_on(std::vector<pollfd>& polls) const;
    /// The latest time for the next call of turn().
    Clock::Steady::time_point next_turn() const;
    /// Writes and reads without blocking; kills the group after the timeout. True when the run has
    /// ended.
    bool turn();
    /// The result; only after turn() has returned true.
    WebhookResult result() const;
    WebhookResult cancelled() const;

private:
    void write_some();
    void read_some();
    bool has_exited();
    void kill_group() const;
    void reap();
    WebhookResult blank() const;

    const WebhookTarget& target_;
    WebhookJob job_;
    std::string input_;
    std::size_t written_ = 0;
    std::string output_;  ///< the beginning of the output
    system::FileDescriptor stdin_;
    system::FileDescriptor stdout_;  ///< also reads standard error
    system::FileDescriptor process_;
    pid_t pid_ = 0;  ///< PID of the command; 0: it was reaped
    Clock::Steady::time_point started_;
    Clock::Steady::time_point deadline_;
    bool timed_out_ = false;
    int exit_code_ = -1;
    int signal_ = 0;
};

}  // namespace headway::server
