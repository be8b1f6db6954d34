// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "server/http/sockets/net.hpp"
#include "server/http/sockets/peer.hpp"

namespace headway::tests {

/// The peer's end of a TCP connection over loopback, driven by the test: bytes in pieces, silence,
/// a half close, a reset. It never blocks. Its actions reach the near end before the call returns,
/// because loopback delivers segments at once.
class Wire {
public:
    Wire() = default;
    explicit Wire(int descriptor) : descriptor_(descriptor) {}
    Wire(Wire&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1)),
          received_(std::move(other.received_)),
          ended_(other.ended_),
          reset_(other.reset_) {}
    Wire& operator=(Wire&& other) noexcept;
    ~Wire() { close(); }

    /// Sends as many of the bytes as the sockets take; returns their number.
    std::size_t send(std::string_view bytes);
    /// Reads all that has come. Once the peer has ended, ended() holds; after a reset, was_reset().
    const std::string& read();
    /// Bytes that read() has collected so far.
    const std::string& received() const noexcept { return received_; }
    std::string take() { return std::exchange(received_, {}); }
    bool ended() const noexcept { return ended_; }
    bool was_reset() const noexcept { return reset_; }

    /// No more bytes from this end; it still reads.
    void half_close();
    /// An orderly end of both directions; unread bytes make a reset of it, as everywhere.
    void close();
    /// RST, whatever was read or not.
    void reset();
    bool open() const noexcept { return descriptor_ >= 0; }

private:
    int descriptor_ = -1;
    std::string received_;
    bool ended_ = false;
    bool reset_ = false;
};

/// Both ends of a connection; the far one takes `receive_bytes` in its buffer and the near one
/// keeps `send_bytes`, so that a test can fill them (0: as the kernel likes).
struct WirePair {
    server::Socket near;
    Wire far;
};
WirePair connect(server::net::io_context& io, int send_bytes = 0, int receive_bytes = 0);

/// Runs the loop until `done` holds; false when it still does not after ten seconds.
bool run_until(server::net::io_context& io, const std::function<bool()>& done);

/// Runs what is ready, and what that makes ready.
void run_ready(server::net::io_context& io);

}  // namespace headway::tests
