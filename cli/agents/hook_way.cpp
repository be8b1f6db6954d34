// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/hook_way.hpp"

#include "cli/client/daemon.hpp"
#include "config/settings/address.hpp"

namespace headway::cli {
namespace {

/// URL of a listening address; an address of all networks is replaced by that of this machine.
core::Result<std::string> listening_url(const config::ServerSettings& server) {
    HEADWAY_TRY(const config::ListenAddress address, config::parse_listen_address(server.listen));
    if (address.port == 0) {
        return core::Error{
            core::ErrorCode::kInvalidParameter,
            "server.listen leaves its port to the kernel; name the daemon with --url",
            {}};
    }
    std::string host = address.host;
    if (host == "0.0.0.0") host = "127.0.0.1";
    if (host == "::") host = "::1";
    if (address.ipv6) host = "[" + host + "]";
    return (server.tls_cert.empty() ? "http://" : "https://") + host + ":" +
           std::to_string(address.port);
}

}  // namespace

core::Result<HookWay> find_hook_way(const std::string& url, const config::LoadRequest& sources) {
    HEADWAY_TRY(const config::Loaded loaded, config::load(sources));
    HookWay way;
    way.token = loaded.settings.access.mode == "token";
    const bool named = !url.empty() || !variable_of(sources.environment, "HEADWAY_URL").empty();
    if (named) {
        HEADWAY_TRY(way.url, daemon_url(url, sources.environment));
    } else {
        HEADWAY_TRY(way.url, listening_url(loaded.settings.server));
    }
    if (way.url.starts_with("unix:")) {
        return core::Error{core::ErrorCode::kInvalidParameter,
                           "agents cannot ask a Unix socket; name an address, as in --url "
                           "http://127.0.0.1:7717",
                           {}};
    }
    way.named = way.url != kDefaultUrl;
    if (const auto program = find_hook_program(sources.environment))
        way.program = program->string();
    return way;
}

bool steers_without_token(const config::LoadRequest& sources) {
    const auto loaded = config::load(sources);
    return loaded && loaded->settings.access.mode != "token" &&
           loaded->settings.access.local_control != "token";
}

}  // namespace headway::cli
