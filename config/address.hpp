#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace headway::config {

/// A loopback address to listen on. `host` is a numeric address without brackets ("localhost"
/// becomes 127.0.0.1).
struct ListenAddress {
    std::string host;
    std::uint16_t port = 0;  ///< 0: chosen by the kernel
    bool ipv6 = false;
};

/// Reads HOST:PORT, where HOST is localhost, 127.x.y.z or [::1]. Error: kInvalidConfig; anything
/// reachable from other machines is refused, because there is no TLS yet and tokens could be
/// read on their way. Pure.
core::Result<ListenAddress> parse_listen_address(std::string_view text);

/// True for 127.0.0.0/8 in dotted form. Pure.
bool is_loopback_ipv4(std::string_view host);

}  // namespace headway::config
