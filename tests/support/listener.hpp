// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "tests/support/wire.hpp"

namespace headway::tests {

/// A port of loopback, for programs that connect by themselves. It never blocks.
class Listener {
public:
    Listener() : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        if (::bind(descriptor_, generic, length) != 0 || ::listen(descriptor_, 64) != 0 ||
            ::getsockname(descriptor_, generic, &length) != 0) {
            throw std::runtime_error("listen");
        }
        port_ = ntohs(address.sin_port);
    }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    ~Listener() { close(); }

    std::uint16_t port() const noexcept { return port_; }
    /// The next connection, if there is one.
    std::optional<Wire> accept() {
        if (descriptor_ < 0) return std::nullopt;
        const int fd = ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0) return std::nullopt;
        return Wire{fd};
    }
    /// From now on connections are refused.
    void close() {
        if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    }

private:
    int descriptor_;
    std::uint16_t port_ = 0;
};

/// The far end of a connection to that port of loopback, which accepts it later.
inline Wire connect_to(std::uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    Wire wire{fd};
    if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        throw std::runtime_error("connect");
    return wire;
}

/// The far end of a connection to that Unix socket, which accepts it later.
inline Wire connect_to(const std::filesystem::path& file) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    Wire wire{fd};
    if (file.native().size() >= sizeof address.sun_path) throw std::runtime_error("too long");
    file.native().copy(static_cast<char*>(address.sun_path), file.native().size());
    if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        throw std::runtime_error("connect");
    return wire;
}

}  // namespace headway::tests
