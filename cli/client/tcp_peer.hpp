// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The user at the other end of a connection on this machine: any user may listen on a free loopback
// port, so an address does not identify the listener.

namespace headway::cli {

/// A port and 16 bytes in network order; IPv4 as ::ffff:127.0.0.1.
struct TcpEnd {
    std::array<std::uint8_t, 16> address{};
    std::uint16_t port = 0;
    bool operator==(const TcpEnd&) const = default;
};

/// Reads an address such as "127.0.0.1" or "::1"; nothing for any other text. Pure.
std::optional<TcpEnd> tcp_end(const std::string& address, long port);

/// A line of /proc/net/tcp or /proc/net/tcp6.
struct TcpSocket {
    TcpEnd local;
    TcpEnd remote;
    bool listens = false;
    uid_t user = 0;
    std::uint64_t inode = 0;  ///< inode of the socket; 0: not accepted yet, and `user` is unknown
};

/// Reads one line; nothing for a line of another form. Pure.
std::optional<TcpSocket> parse_tcp_line(std::string_view line);

/// The user of the other end of the connection `ours` -> `theirs`, as "user ann (1000)", or a text
/// that this user is unknown. Empty if the other end belongs to `owner`. As long as the connection
/// is not accepted, all sockets that listen at that end must belong to `owner`. `sockets` must have
/// listeners before other sockets, as the kernel lists them. Then a connection that is unaccepted
/// when its line is read belongs to one of these listeners. Pure, except for the names of users.
std::string stranger_at(const TcpEnd& theirs, const TcpEnd& ours, uid_t owner,
                        const std::vector<TcpSocket>& sockets);

/// The sockets of this network namespace that have `theirs` as their local end or listen on its
/// port. Reads /proc.
std::vector<TcpSocket> sockets_at(const TcpEnd& theirs);

/// "user ann (1000)".
std::string user_name(uid_t user);

}  // namespace headway::cli
