// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

namespace headway::server {

/// The kind of a non-public address, such as "loopback" or "private"; empty for a public one. The
/// argument is a resolved address, because a name, or the notation of an address, proves nothing.
/// IPv4 inside IPv6 (mapped, NAT64, 6to4) is checked as IPv4. Registries: RFC 6890 and the IANA
/// special-purpose registries. Pure.
std::string_view private_kind(const sockaddr& address) noexcept;

/// The numeric address without the port. Pure.
std::string print_address(const sockaddr& address);

}  // namespace headway::server
