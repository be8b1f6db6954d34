// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/hook_way.hpp"

#include <chrono>

#include "cli/base/json.hpp"
#include "cli/client/credentials.hpp"
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

/// The report of the daemon that client commands use about itself; empty: there is none.
Json system_of_own_daemon(std::map<std::string, std::string> environment) {
    constexpr std::chrono::seconds kSystemWithin{2};
    if (const std::string folder = variable_of(environment, "HEADWAY_STORAGE_STATE_DIR");
        !folder.empty())
        environment["STATE_DIRECTORY"] = folder;
    const std::string socket = find_socket_url(environment);
    if (socket.empty()) return Json::object();
    const HttpReply reply = Daemon{socket}.get("/v1/system", kSystemWithin);
    return reply.ok() ? body_json(reply).value_or(Json::object()) : Json::object();
}

/// `way` to the daemon that runs, whatever the settings say: it may have been started with other
/// options. A certificate may not be for its address.
void take_own_daemon(const config::LoadRequest& sources, HookWay& way) {
    if (sources.file) return;  // they are named
    const Json system = system_of_own_daemon(sources.environment);
    const std::string& named = system.text_of("url");
    const auto url = daemon_url(named, {});
    if (!named.starts_with("http://") || !url) return;
    way.url = *url;
    way.token = way.token || system.text_of("mode") == "token";
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
        const auto listening = listening_url(loaded.settings.server);
        if (listening) way.url = *listening;
        take_own_daemon(sources, way);
        if (way.url.empty()) return listening.error();
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
