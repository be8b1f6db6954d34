// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace headway::config {

struct ServerSettings;
struct AccessSettings;
struct WebhookSettings;

/// An address to listen on. `host` is numeric, without brackets ("localhost" becomes 127.0.0.1).
struct ListenAddress {
    std::string host;
    std::uint16_t port = 0;  ///< the port; 0: chosen by the kernel
    bool ipv6 = false;
    bool loopback = false;  ///< other machines cannot reach it
};

/// Reads HOST:PORT, where HOST is localhost or a numeric address, IPv6 in brackets. Error:
/// kInvalidConfig. Pure.
core::Result<ListenAddress> parse_listen_address(std::string_view text);

/// Checks the address against the other settings. If other machines can reach it, access.mode must
/// be "token". TLS must then be set too, because tokens could otherwise be read on their way;
/// insecure_bind lifts this requirement. With a proxy, access.mode must be "token" too. Both TLS
/// keys must be set, or neither. Error: kInvalidConfig. Pure.
core::Result<> check_listener(const ServerSettings& server, const AccessSettings& access);

/// Checks that no webhook is sent to the daemon itself, where each message could cause the next
/// one. Checks also that webhooks.link is set if an endpoint has `decide`. Error: kInvalidConfig.
/// Pure.
core::Result<> check_receivers(const WebhookSettings& webhooks, const ServerSettings& server);

/// True if an http or https URL reaches the listener: the ports are equal, and the URL's host is
/// the listener's address or, if that is a loopback or wildcard address, any address of this
/// machine. Names are not resolved. Pure.
bool leads_to(std::string_view url, const ListenAddress& listener);

/// True for 127.0.0.0/8 in dotted form. Pure.
bool is_loopback_ipv4(std::string_view host);

}  // namespace headway::config
