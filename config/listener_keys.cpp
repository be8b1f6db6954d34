// SPDX-License-Identifier: Apache-2.0
#include "config/listener_keys.hpp"

#include "config/address.hpp"

namespace headway::config {
namespace {

Key listen_key() {
    Key key{"server.listen", Kind::kText, "HOST:PORT", false,
            "Address to listen on; port 0 lets the kernel choose. Others than loopback need "
            "access.mode = \"token\" and TLS."};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_CHECK(parse_listen_address(text));
        settings.server.listen = text;
        return {};
    };
    key.print = [](const Settings& s) { return s.server.listen; };
    return key;
}

template <std::string ServerSettings::*Member>
Key path_key(std::string name, bool reloadable, std::string help) {
    Key key{std::move(name), Kind::kText, "", reloadable, std::move(help)};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        settings.server.*Member = text;
        return {};
    };
    key.print = [](const Settings& s) { return s.server.*Member; };
    return key;
}

template <bool ServerSettings::*Member>
Key switch_key(std::string name, std::string help) {
    Key key{std::move(name), Kind::kText, "on | off", false, std::move(help)};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        if (text != "on" && text != "off") {
            return core::Error{core::ErrorCode::kInvalidConfig,
                               "\"" + std::string(text) + "\" is not one of on, off",
                               {}};
        }
        settings.server.*Member = text == "on";
        return {};
    };
    key.print = [](const Settings& s) { return std::string(s.server.*Member ? "on" : "off"); };
    return key;
}

}  // namespace

void add_listener_keys(std::vector<Key>& table) {
    table.push_back(listen_key());
    table.push_back(path_key<&ServerSettings::socket>(
        "server.socket", false,
        "Unix socket where the user we run as, and root, need no token; below the state folder "
        "unless it begins with /; empty means none."));
    table.push_back(path_key<&ServerSettings::tls_cert>(
        "server.tls_cert", true,
        "PEM file with the certificate and its chain; the port then speaks TLS only."));
    table.push_back(path_key<&ServerSettings::tls_key>(
        "server.tls_key", true, "PEM file with the certificate's key, without a passphrase."));
    table.push_back(switch_key<&ServerSettings::insecure_bind>(
        "server.insecure_bind",
        "on: other machines may reach the port without TLS; tokens can be read on their way."));
    table.push_back(switch_key<&ServerSettings::behind_proxy>(
        "server.behind_proxy",
        "on: requests come by way of a proxy on this machine; needs access.mode = \"token\"."));
}

}  // namespace headway::config
