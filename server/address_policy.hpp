// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

namespace headway::server {

/// What kind of address this is that only a network of one's own leads to, such as "loopback" or
/// "private"; empty for one of the public Internet. Asked of addresses that were resolved, since
/// names and the many ways of writing an address say nothing. IPv4 inside of IPv6 (mapped, NAT64,
/// 6to4) counts as itself. Registries: RFC 6890 and the IANA special-purpose registries. Pure.
std::string_view private_kind(const sockaddr& address) noexcept;

/// The address in numbers, without the port. Pure.
std::string print_address(const sockaddr& address);

}  // namespace headway::server
