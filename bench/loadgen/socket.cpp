// SPDX-License-Identifier: Apache-2.0
#include "bench/loadgen/socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

namespace headway::bench {

namespace {

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

Descriptor::~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
}

Descriptor::Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
}

Descriptor connect_to(std::uint16_t port) {
    Descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (socket.get() < 0) fail("socket");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        fail("connect");
    }
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::fcntl(socket.get(), F_SETFL, O_NONBLOCK) != 0) fail("fcntl");
    return socket;
}

std::size_t send_some(const Descriptor& socket, std::string_view bytes) {
    const ssize_t sent = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) return static_cast<std::size_t>(sent);
    if (errno == EAGAIN) return 0;
    fail("send");
}

std::size_t receive_some(const Descriptor& socket, std::span<char> space) {
    const ssize_t got = ::recv(socket.get(), space.data(), space.size(), 0);
    if (got > 0) return static_cast<std::size_t>(got);
    if (got < 0 && errno == EAGAIN) return 0;
    if (got == 0) errno = ECONNRESET;
    fail("the server closed the connection");
}

Epoll::Epoll() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (epoll_.get() < 0) fail("epoll_create1");
}

void Epoll::add(const Descriptor& socket, std::uint32_t number) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u32 = number;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket.get(), &event) != 0) fail("epoll_ctl");
}

void Epoll::want_write(const Descriptor& socket, std::uint32_t number, bool wanted) {
    epoll_event event{};
    event.events = EPOLLIN;
    if (wanted) event.events |= EPOLLOUT;
    event.data.u32 = number;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket.get(), &event) != 0) fail("epoll_ctl");
}

std::span<const epoll_event> Epoll::wait(int timeout_ms) {
    const int count = ::epoll_wait(epoll_.get(), events_, kEventsAtOnce, timeout_ms);
    if (count < 0 && errno != EINTR) fail("epoll_wait");
    return {events_, static_cast<std::size_t>(count < 0 ? 0 : count)};
}

std::int64_t now_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace headway::bench
