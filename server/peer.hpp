// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "server/net.hpp"

namespace headway::server {

/// Where a connection comes from, as the kernel says.
struct Peer {
    std::array<std::uint8_t, 16> address{};  ///< IPv6, or IPv4 mapped into it; zeros: the socket
    bool local = false;      ///< the Unix socket, so it is root or whoever we run as
    bool encrypted = false;  ///< TLS
};

/// Of an accepted connection. Pure.
Peer peer_at(const net::ip::tcp::endpoint& endpoint);

/// The address in words, for a log. Pure.
std::string shown(const Peer& peer);

}  // namespace headway::server
