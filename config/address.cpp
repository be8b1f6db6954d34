// SPDX-License-Identifier: Apache-2.0
#include "config/address.hpp"

#include <arpa/inet.h>

#include <array>
#include <charconv>
#include <optional>

#include "config/parse.hpp"
#include "config/settings.hpp"

namespace headway::config {
namespace {

constexpr std::array<unsigned char, 16> kLoopbackIpv6{0, 0, 0, 0, 0, 0, 0, 0,
                                                      0, 0, 0, 0, 0, 0, 0, 1};

std::optional<unsigned> parse_number(std::string_view text, unsigned max) {
    unsigned number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const bool whole = error == std::errc{} && rest == end && number <= max;
    return whole ? std::optional<unsigned>(number) : std::nullopt;
}

}  // namespace

bool is_loopback_ipv4(std::string_view host) {
    std::array<unsigned, 4> octets{};
    for (std::size_t i = 0; i < octets.size(); ++i) {
        const std::size_t dot = i < 3 ? host.find('.') : host.size();
        if (dot == std::string_view::npos) return false;
        const std::string_view part = host.substr(0, dot);
        const auto number = part.size() <= 3 ? parse_number(part, 255) : std::nullopt;
        if (!number) return false;
        octets[i] = *number;
        host.remove_prefix(i < 3 ? dot + 1 : dot);
    }
    return octets[0] == 127;
}

core::Result<ListenAddress> parse_listen_address(std::string_view text) {
    const std::string shown = "\"" + std::string(text) + "\"";
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        return mistake(shown + " has no port; write HOST:PORT, as 127.0.0.1:7717");
    }
    const auto port = parse_number(text.substr(colon + 1), 65'535);
    if (!port) return mistake(shown + " has no valid port; it must be 0 to 65535");

    ListenAddress address;
    address.port = static_cast<std::uint16_t>(*port);
    std::string host(text.substr(0, colon));
    if (host == "localhost") host = "127.0.0.1";
    const bool brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
    std::array<unsigned char, 16> bytes{};
    if (brackets &&
        inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), bytes.data()) == 1) {
        address.host = host.substr(1, host.size() - 2);
        address.ipv6 = true;
        address.loopback = bytes == kLoopbackIpv6;
    } else if (inet_pton(AF_INET, host.c_str(), bytes.data()) == 1) {
        address.host = host;
        address.loopback = bytes[0] == 127;
    } else if (inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1) {
        return mistake(shown + " needs brackets around the address: [" + host +
                       "]:" + std::to_string(*port));
    } else {
        return mistake(shown +
                       " has no numeric address; write 127.0.0.1, [::1], localhost, or that of a "
                       "network interface");
    }
    return address;
}

core::Result<> check_listener(const ServerSettings& server, const AccessSettings& access) {
    if (server.tls_cert.empty() != server.tls_key.empty()) {
        return mistake("server.tls_cert and server.tls_key come together; set both or neither");
    }
    if (server.behind_proxy && access.mode != "token") {
        return mistake(
            "server.behind_proxy: a proxy passes each of its clients on, and in mode `local` "
            "all of them may report and read; set access.mode = \"token\"");
    }
    HEADWAY_TRY(const ListenAddress address, parse_listen_address(server.listen));
    if (address.loopback) return {};
    const std::string reached =
        "server.listen: \"" + server.listen + "\" can be reached from other machines";
    if (access.mode != "token") {
        return mistake(reached +
                       ", and in mode `local` everybody there may report and read; set access.mode "
                       "= \"token\", or listen on 127.0.0.1");
    }
    if (!server.tls_cert.empty() || server.insecure_bind) return {};
    return mistake(reached +
                   ", and without TLS tokens can be read on their way; set server.tls_cert and "
                   "server.tls_key, or server.insecure_bind = \"on\" where something else keeps "
                   "them secret, or listen on 127.0.0.1");
}

}  // namespace headway::config
