// SPDX-License-Identifier: Apache-2.0
#include "config/load/sections.hpp"
#include "config/settings/address.hpp"

namespace headway::config {
namespace {

core::Result<std::string> read_listen(const Value& value) {
    std::string text = value.text();
    HEADWAY_CHECK(parse_listen_address(text));
    return text;
}

}  // namespace

void add_listener_keys(std::vector<Key>& table) {
    constexpr auto kAt = &Settings::server;
    table.push_back(value_row<read_listen, kAt, &ServerSettings::listen>(
        Kind::kText, "HOST:PORT", "server.listen", kRestart,
        "Address to listen on; port 0: any free one. Addresses other than loopback need "
        "access.mode = \"token\" and TLS."));
    table.push_back(text_row<kAt, &ServerSettings::socket>(
        "server.socket", kRestart,
        "Unix socket where the user we run as, and root, need no token; below the state directory "
        "unless it begins with /; empty means none."));
    table.push_back(text_row<kAt, &ServerSettings::report_socket>(
        "server.report_socket", kRestart,
        "Unix socket that only reports, for the hooks of agents; below the runtime folder of "
        "systemd or the state directory unless it begins with /; empty means none."));
    table.push_back(text_row<kAt, &ServerSettings::report_group>(
        "server.report_group", kRestart,
        "Group whose members may report on that socket; empty means only the daemon's user."));
    table.push_back(text_row<kAt, &ServerSettings::tls_cert>(
        "server.tls_cert", kReload,
        "PEM file with the certificate and its chain; the port then speaks TLS only."));
    table.push_back(text_row<kAt, &ServerSettings::tls_key>(
        "server.tls_key", kReload, "PEM file with the certificate's key, without a passphrase."));
    table.push_back(switch_row<kOnOff, 0, kAt, &ServerSettings::insecure_bind>(
        "server.insecure_bind", kRestart,
        "on: other machines may reach the port without TLS; tokens can be read on their way."));
    table.push_back(switch_row<kOnOff, 0, kAt, &ServerSettings::behind_proxy>(
        "server.behind_proxy", kRestart,
        "on: requests come by way of a proxy on this machine; needs access.mode = \"token\"."));
}

}  // namespace headway::config
