// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <thread>

#include "core/base/result.hpp"
#include "core/base/time.hpp"
#include "server/http/sockets/local_socket.hpp"
#include "server/http/sockets/net.hpp"
#include "server/testclock/jumps.hpp"

namespace headway::server::testclock {

/// The socket through which tests move the clock. A command is one line. Its reply is one line of
/// JSON, which is sent when the engine and the I/O thread have done all work that is due.
///
///     pass MS [STEP]   time passes, in steps, so that due events happen in their order
///     stall MS [STEP]  time passes unattended, in one jump; or in steps of STEP, so that the
///                      threads that are not blocked can follow
///     step MS          the wall clock is set ahead, or back by a negative number; then a quarter
///                      of a second passes, in which the engine notices the step
///     suspend MS       the machine sleeps: the steady clock stops; then time passes as after step
///     read             nothing happens
///
/// Has a thread of its own, so that it works while another thread is blocked.
class Control {
public:
    /// `io` belongs to the I/O thread and must outlive this object.
    explicit Control(net::io_context& io) : io_(io), acceptor_(own_) {}
    Control(const Control&) = delete;
    Control& operator=(const Control&) = delete;
    ~Control();

    /// Error: kInvalidConfig.
    core::Result<> open(const std::filesystem::path& file);

    /// The reply to one line.
    std::string answer(std::string_view line);

private:
    struct Client;

    void accept();
    bool go(core::Millis time, core::Millis step, Jump (*kind)(core::Millis));
    bool in_effect(const Jump& by);
    bool noticed(const Jump& by);

    net::io_context& io_;
    bool loop_runs_ = true;  ///< false if the current command found the event loop blocked
    net::io_context own_{1};
    LocalAcceptor acceptor_;
    LocalSocketFile file_;
    std::thread thread_;
};

}  // namespace headway::server::testclock
