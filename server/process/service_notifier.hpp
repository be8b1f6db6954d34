// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace headway::server {

/// Reports the daemon's state to the service manager (sd_notify(3)): one datagram to
/// `$NOTIFY_SOCKET` per message. Sends nothing if the variable is unset. Failures are ignored,
/// because the manager notices when messages are missing. Immutable; any thread.
class ServiceNotifier {
public:
    using Environment = std::map<std::string, std::string>;

    /// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID. There is no watchdog if WATCHDOG_PID is
    /// the PID of another process.
    explicit ServiceNotifier(const Environment& environment);

    void ready(std::string_view status) const;
    void reloading() const;
    void stopping() const;
    /// Must be called at least once in each watchdog() interval.
    void alive() const { send("WATCHDOG=1"); }
    /// The interval within which the manager expects alive(); otherwise it kills the daemon.
    std::optional<std::chrono::microseconds> watchdog() const noexcept { return watchdog_; }

private:
    void send(const std::string& message) const;

    std::string socket_;  ///< a path, or @name for an abstract socket; empty: no manager
    std::optional<std::chrono::microseconds> watchdog_;
};

}  // namespace headway::server
