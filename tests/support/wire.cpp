// SPDX-License-Identifier: Apache-2.0
#include "tests/support/wire.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace headway::tests {
namespace {

void need(bool good, const char* what) {
    if (!good) throw std::runtime_error(what);
}

void set_buffer(int descriptor, int option, int bytes) {
    if (bytes > 0) ::setsockopt(descriptor, SOL_SOCKET, option, &bytes, sizeof bytes);
}

}  // namespace

Wire& Wire::operator=(Wire&& other) noexcept {
    close();
    descriptor_ = std::exchange(other.descriptor_, -1);
    received_ = std::move(other.received_);
    ended_ = other.ended_;
    reset_ = other.reset_;
    return *this;
}

std::size_t Wire::send(std::string_view bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const ssize_t count = ::send(descriptor_, bytes.data() + sent, bytes.size() - sent,
                                     MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count <= 0) break;
        sent += static_cast<std::size_t>(count);
    }
    return sent;
}

const std::string& Wire::read() {
    char bytes[16'384];
    while (descriptor_ >= 0 && !ended_) {
        const ssize_t count = ::recv(descriptor_, bytes, sizeof bytes, MSG_DONTWAIT);
        if (count > 0) {
            received_.append(bytes, static_cast<std::size_t>(count));
            continue;
        }
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
        ended_ = true;
        reset_ = count < 0;
    }
    return received_;
}

void Wire::half_close() {
    ::shutdown(descriptor_, SHUT_WR);
}

void Wire::close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void Wire::reset() {
    const linger now{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close();
}

WirePair connect(server::net::io_context& io, int send_bytes, int receive_bytes) {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    set_buffer(listener, SO_SNDBUF, send_bytes);  // inherited by what it accepts
    need(::bind(listener, generic, sizeof address) == 0, "bind");
    need(::listen(listener, 1) == 0, "listen");
    need(::getsockname(listener, generic, &length) == 0, "getsockname");
    const int far = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    set_buffer(far, SO_RCVBUF, receive_bytes);
    need(::connect(far, generic, sizeof address) == 0, "connect");
    const int near = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    ::close(listener);
    need(near >= 0, "accept");
    const int on = 1;
    ::setsockopt(far, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const server::net::generic::stream_protocol protocol{AF_INET, IPPROTO_TCP};
    return {server::Socket{io, protocol, near}, Wire{far}};
}

bool run_until(server::net::io_context& io, const std::function<bool()>& done) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    while (!done()) {
        if (std::chrono::steady_clock::now() > until) return false;
        io.restart();
        if (io.poll() == 0) std::this_thread::sleep_for(std::chrono::microseconds{200});
    }
    return true;
}

void run_ready(server::net::io_context& io) {
    do {
        io.restart();
    } while (io.poll() > 0);
}

}  // namespace headway::tests
