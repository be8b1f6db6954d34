// SPDX-License-Identifier: Apache-2.0
#include "config/settings/address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>

#include "config/settings/settings.hpp"
#include "config/values/parse.hpp"
#include "core/text/words.hpp"

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

using AddressBytes = std::array<unsigned char, 16>;

/// As IPv6 has it, an IPv4 address mapped. With the short forms that clients know: 127.1.
std::optional<AddressBytes> read_address(const std::string& host) {
    AddressBytes bytes{};
    if (inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1) return bytes;
    in_addr ipv4{};
    if (inet_aton(host.c_str(), &ipv4) == 0) return std::nullopt;
    bytes[10] = bytes[11] = 0xff;
    std::memcpy(bytes.data() + 12, &ipv4, sizeof ipv4);
    return bytes;
}

bool is_mapped_ipv4(const AddressBytes& bytes) {
    constexpr std::array<unsigned char, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    return std::equal(kMapped.begin(), kMapped.end(), bytes.begin());
}

/// Any address, 0.0.0.0 or ::, which as a destination is this machine.
bool is_any(const AddressBytes& bytes) {
    const std::size_t from = is_mapped_ipv4(bytes) ? 12 : 0;
    return std::all_of(bytes.begin() + from, bytes.end(), [](unsigned char c) { return c == 0; });
}

/// Destination that can only be this machine.
bool is_this_machine(const std::string& host, const std::optional<AddressBytes>& bytes) {
    if (!bytes) return host == "localhost" || host.ends_with(".localhost");
    const bool ipv4 = is_mapped_ipv4(*bytes) && (*bytes)[12] == 127;
    return ipv4 || is_any(*bytes) || *bytes == kLoopbackIpv6;
}

}  // namespace

bool leads_to(std::string_view url, const ListenAddress& listener) {
    const bool tls = url.starts_with("https://");
    if (!tls && !url.starts_with("http://")) return false;
    url.remove_prefix(tls ? 8 : 7);
    const std::string_view authority = url.substr(0, url.find_first_of("/?"));
    const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
    const std::size_t colon = authority.find(':', bracket == authority.npos ? 0 : bracket);
    std::string host = core::lower(authority.substr(0, colon));
    const std::string_view digits =
        colon == authority.npos ? std::string_view{} : authority.substr(colon + 1);
    const unsigned usual = tls ? 443 : 80;
    const auto port = digits.empty() ? usual : parse_number(digits, 65'535).value_or(0);
    if (port == 0 || port != listener.port) return false;
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    host = host.substr(0, host.find('%'));  // the zone of an IPv6 address
    if (host.ends_with('.')) host.pop_back();
    const auto to = read_address(host);
    const auto at = read_address(listener.host);
    if (listener.loopback || (at && is_any(*at))) return is_this_machine(host, to);
    return to && to == at;
}

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

core::Result<> check_receivers(const WebhookSettings& webhooks, const ServerSettings& server) {
    HEADWAY_TRY(const ListenAddress address, parse_listen_address(server.listen));
    for (const WebhookEndpoint& endpoint : webhooks.endpoints) {
        if (endpoint.decide && webhooks.link.empty())
            return mistake("webhooks.endpoints." + endpoint.name +
                           " has decide = \"on\", which needs webhooks.link: where people reach "
                           "this daemon, such as \"https://headway.example.com\"");
        if (!leads_to(endpoint.url, address)) continue;
        return mistake("webhooks.endpoints." + endpoint.name +
                       " has the url of this daemon itself (server.listen is \"" + server.listen +
                       "\"): what a message does here may make the next one, without end; name "
                       "another receiver");
    }
    return {};
}

}  // namespace headway::config
