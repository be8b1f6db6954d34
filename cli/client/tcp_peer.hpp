// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The user at the other end of a connection on this machine: any user may open a port on loopback
// that is free, so an address says nothing about its listener.

namespace headway::cli {

/// 16 bytes in network order, of IPv4 as ::ffff:127.0.0.1, and a port.
struct TcpEnd {
    std::array<std::uint8_t, 16> address{};
    std::uint16_t port = 0;
    bool operator==(const TcpEnd&) const = default;
};

/// "127.0.0.1" or "::1"; nothing for another text. Pure.
std::optional<TcpEnd> tcp_end(const std::string& address, long port);

/// A line of /proc/net/tcp or /proc/net/tcp6.
struct TcpSocket {
    TcpEnd local;
    TcpEnd remote;
    bool listens = false;
    uid_t user = 0;
    std::uint64_t inode = 0;  ///< 0: not accepted yet, and `user` says nothing
};

/// Nothing for a line of another form. Pure.
std::optional<TcpSocket> parse_tcp_line(std::string_view line);

/// Whether the other end of the connection `ours` -> `theirs` is `owner`'s by what the kernel
/// lists: that socket itself, and where it is not accepted yet all that listen there. Empty: it
/// is; else whose it is, as "user ann (1000)", or that it is not known. `sockets` has those
/// that listen before the others, as the kernel lists them: a connection that a listener still has
/// when it is read can have no other. Pure, except for the names of users.
std::string stranger_at(const TcpEnd& theirs, const TcpEnd& ours, uid_t owner,
                        const std::vector<TcpSocket>& sockets);

/// The sockets of this network namespace that have `theirs` as their local end or listen on its
/// port. Reads /proc.
std::vector<TcpSocket> sockets_at(const TcpEnd& theirs);

/// "user ann (1000)".
std::string user_name(uid_t user);

}  // namespace headway::cli
