// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include "server/time/time_source.hpp"

// Asio's types with the executor of an io_context, because a type-erased executor would double the
// cost of a request.

namespace headway::server {

namespace net = boost::asio;
using boost::system::error_code;
using Executor = net::io_context::executor_type;
using Socket = net::basic_stream_socket<net::generic::stream_protocol, Executor>;  ///< TCP or Unix
using TcpSocket = net::basic_stream_socket<net::ip::tcp, Executor>;
using TcpAcceptor = net::basic_socket_acceptor<net::ip::tcp, Executor>;
using LocalSocket = net::basic_stream_socket<net::local::stream_protocol, Executor>;
using LocalAcceptor = net::basic_socket_acceptor<net::local::stream_protocol, Executor>;

/// The clock of timers. It uses the time source, so that a test can let time pass.
struct TimerClock {
    using duration = time_source::Steady::duration;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = time_source::Steady::time_point;
    static constexpr bool is_steady = true;
    static time_point now() { return time_source::steady(); }
};
struct TimerWait {
    static TimerClock::duration to_wait_duration(TimerClock::duration left) {
        return time_source::longest_wait(left);
    }
    static TimerClock::duration to_wait_duration(TimerClock::time_point until) {
        return to_wait_duration(until - time_source::steady());
    }
};
using Timer = net::basic_waitable_timer<TimerClock, TimerWait, Executor>;

}  // namespace headway::server
