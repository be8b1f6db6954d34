// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace headway::server {

/// Tells the service manager how we are (sd_notify(3)): one datagram to `$NOTIFY_SOCKET`, which is
/// all the protocol there is. Without the variable nothing is sent. Failures are nobody's business
/// but the manager's, which notices silence. Immutable; any thread.
class ServiceNotifier {
public:
    using Environment = std::map<std::string, std::string>;

    /// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID, which has to be ours when it is there.
    explicit ServiceNotifier(const Environment& environment);

    void ready(std::string_view status) const;
    void reloading() const;
    void stopping() const;
    /// Has to be called at least once in `watchdog()`.
    void alive() const { send("WATCHDOG=1"); }
    /// Within which time the manager wants to hear alive(), or else kills us.
    std::optional<std::chrono::microseconds> watchdog() const noexcept { return watchdog_; }

private:
    void send(const std::string& message) const;

    std::string socket_;  ///< a path, or @name of the abstract kind; empty: nobody listens
    std::optional<std::chrono::microseconds> watchdog_;
};

}  // namespace headway::server
