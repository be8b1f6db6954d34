#include "config/address.hpp"

#include <array>
#include <charconv>
#include <optional>

namespace headway::config {
namespace {

core::Error mistake(std::string detail) {
    return {core::ErrorCode::kInvalidConfig, std::move(detail), {}};
}

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
    const std::string_view host = text.substr(0, colon);
    if (host == "localhost") {
        address.host = "127.0.0.1";
    } else if (host == "[::1]") {
        address.host = "::1";
        address.ipv6 = true;
    } else if (is_loopback_ipv4(host)) {
        address.host = host;
    } else if (host == "::1") {
        return mistake(shown +
                       " needs brackets around the address: [::1]:" + std::to_string(*port));
    } else {
        return mistake(
            shown +
            " can be reached from other machines, and there is no TLS yet that would keep tokens "
            "secret; "
            "listen on 127.0.0.1, [::1] or localhost, and put a proxy that authenticates "
            "in front if others must reach it");
    }
    return address;
}

}  // namespace headway::config
