// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "server/net.hpp"

namespace headway::server {

/// The origin of a connection, as reported by the kernel.
struct Peer {
    std::array<std::uint8_t, 16> address{};  ///< IPv6, or IPv4 mapped into it; zeros: the socket
    bool local = false;                      ///< the Unix socket, so root or our own user
    bool encrypted = false;                  ///< TLS
};

/// The peer of an accepted connection. Pure.
Peer peer_at(const net::ip::tcp::endpoint& endpoint);

/// The address as text for a log. Pure.
std::string shown(const Peer& peer);

}  // namespace headway::server
