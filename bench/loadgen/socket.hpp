// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <span>
#include <string_view>

// Thin owners of descriptors. Every failure throws std::system_error: a load generator that lost a
// connection has no result to give.

namespace headway::bench {

class Descriptor {
public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    ~Descriptor();
    Descriptor(Descriptor&& other) noexcept;
    Descriptor& operator=(Descriptor&& other) noexcept;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int get() const { return fd_; }

private:
    int fd_;
};

/// A non-blocking connection to 127.0.0.1 with TCP_NODELAY.
Descriptor connect_to(std::uint16_t port);

/// Sends what fits now; gives how many bytes that was.
std::size_t send_some(const Descriptor& socket, std::string_view bytes);
/// Reads what is there; 0 when nothing is. Throws when the peer closed.
std::size_t receive_some(const Descriptor& socket, std::span<char> space);

class Epoll {
public:
    Epoll();
    /// `number` comes back as events[i].data.u32.
    void add(const Descriptor& socket, std::uint32_t number);
    void want_write(const Descriptor& socket, std::uint32_t number, bool wanted);
    /// Gives the ready ones. Waits at most `timeout_ms`, 0 not at all.
    std::span<const epoll_event> wait(int timeout_ms);

private:
    static constexpr int kEventsAtOnce = 512;

    Descriptor epoll_;
    epoll_event events_[kEventsAtOnce];
};

/// CLOCK_MONOTONIC.
std::int64_t now_ns();

}  // namespace headway::bench
