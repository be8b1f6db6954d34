// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/settings/settings.hpp"
#include "server/http/connection/http_server.hpp"
#include "server/http/sockets/net.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

/// Runs `headway observe` as a child process of the daemon. The observer is a separate process
/// because it reads files that agents write. If the child ends, it is restarted, each time after a
/// longer pause. The child is ended together with the daemon. I/O thread.
class ObserverChild {
public:
    using Report = std::function<void(const std::string& line)>;

    ObserverChild(net::io_context& io, std::vector<std::string> argv, Report report);
    ObserverChild(const ObserverChild&) = delete;
    ObserverChild& operator=(const ObserverChild&) = delete;
    /// Ends the child, and waits at most a second until it has ended.
    ~ObserverChild();

    void start();

private:
    using Descriptor = net::posix::basic_stream_descriptor<Executor>;

    void await_end();
    void start_later(const std::string& why);

    net::io_context& io_;
    const std::vector<std::string> argv_;
    Report report_;
    Timer timer_;
    pid_t pid_ = 0;  ///< PID of the child; 0: it does not run
    std::optional<Descriptor> process_;
    Clock::Steady::time_point started_{};
    std::chrono::seconds pause_{0};
};

/// Starts the observer for this daemon; null if no agent is to be observed. To be called after the
/// listeners are open.
std::unique_ptr<ObserverChild> start_observer(net::io_context& io,
                                              const config::ObserveSettings& settings,
                                              const HttpServer& http,
                                              const std::filesystem::path& state,
                                              ObserverChild::Report report);

}  // namespace headway::server
