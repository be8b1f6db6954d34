// SPDX-License-Identifier: Apache-2.0
#include "server/http/sockets/peer.hpp"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

namespace headway::server {

Peer peer_at(const net::ip::tcp::endpoint& endpoint) {
    Peer peer;
    const net::ip::address address = endpoint.address();
    const net::ip::address_v6 wide =
        address.is_v4() ? net::ip::make_address_v6(net::ip::v4_mapped, address.to_v4())
                        : address.to_v6();
    const auto bytes = wide.to_bytes();
    std::copy(bytes.begin(), bytes.end(), peer.address.begin());
    return peer;
}

std::string origin_of(const Peer& peer) {
    if (peer.on_socket()) return "uid " + std::to_string(peer.uid);
    const net::ip::address_v6 wide{peer.address};
    const bool narrow = wide.is_v4_mapped();
    if (wide.is_loopback() || (narrow && peer.address[12] == 127)) return "loopback";
    if (narrow) return shown(peer);
    Peer network = peer;
    std::fill(network.address.begin() + 8, network.address.end(), std::uint8_t{0});
    return shown(network);
}

std::string shown(const Peer& peer) {
    if (peer.on_socket()) {
        const std::string socket = peer.local ? "the Unix socket" : "the report socket";
        return peer.uid == Peer::kNoUser ? socket
                                         : socket + " (uid " + std::to_string(peer.uid) + ")";
    }
    const net::ip::address_v6 wide{peer.address};
    if (wide.is_v4_mapped()) {
        return net::ip::make_address_v4(net::ip::v4_mapped, wide).to_string();
    }
    return wide.to_string();
}

}  // namespace headway::server
