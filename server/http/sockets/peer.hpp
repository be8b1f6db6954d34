// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "server/http/sockets/net.hpp"

namespace headway::server {

/// Where a connection comes from, as reported by the kernel.
struct Peer {
    std::array<std::uint8_t, 16> address{};  ///< IPv6 or mapped IPv4; zeros for a Unix socket
    bool local = false;           ///< root or the daemon's user, on the operator's socket
    bool reports = false;         ///< any user, on the report socket; never together with `local`
    bool encrypted = false;       ///< the connection uses TLS
    std::uint32_t uid = kNoUser;  ///< user of a Unix socket's peer when it connected (SO_PEERCRED)

    static constexpr std::uint32_t kNoUser = UINT32_MAX;
    /// True for a peer on one of the Unix sockets, which has no address.
    bool on_socket() const noexcept { return local || reports; }
};

/// The peer of an accepted connection. Pure.
Peer peer_at(const net::ip::tcp::endpoint& endpoint);

/// Text that identifies a caller without a token of its own: the user of a Unix socket's peer, else
/// the address. All loopback addresses give the same text. An IPv6 address gives its first 64 bits,
/// because one machine may own all addresses with the same first half. Pure.
std::string origin_of(const Peer& peer);

/// The address, or the socket and its user, as text for a log. Pure.
std::string shown(const Peer& peer);

}  // namespace headway::server
