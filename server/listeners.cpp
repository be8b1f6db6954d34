// SPDX-License-Identifier: Apache-2.0
#include "server/listeners.hpp"

#include "config/address.hpp"
#include "server/http_server.hpp"

namespace headway::server {
namespace {

using core::Result;

Result<> load_certificate(HttpServer& http, const config::ServerSettings& settings) {
    HEADWAY_TRY(auto tls, TlsContext::load(settings.tls_cert, settings.tls_key));
    http.set_tls(std::move(tls));
    return {};
}

Result<> open_socket(HttpServer& http, const std::string& socket,
                     const std::filesystem::path& state, const WarnListener& warn) {
    if (socket.empty()) return {};
    auto done = http.listen_local(state / socket);
    if (done || socket.front() == '/') return done;
    warn(done.error().detail);
    return {};
}

}  // namespace

Result<> open_listeners(HttpServer& http, const config::ServerSettings& settings,
                        const std::filesystem::path& state, const WarnListener& warn) {
    HEADWAY_TRY(const config::ListenAddress address, config::parse_listen_address(settings.listen));
    if (!settings.tls_cert.empty()) {
        HEADWAY_CHECK(load_certificate(http, settings));
    }
    HEADWAY_CHECK(http.listen(address.host, address.port));
    if (!address.loopback && !http.encrypted()) {
        warn(settings.listen +
             " can be reached from other machines without TLS: tokens can be read on their way");
    }
    if (http.connections_max() < settings.connections_max) {
        warn("the limit of open files leaves room for " + std::to_string(http.connections_max()) +
             " connections, not " + std::to_string(settings.connections_max) +
             "; raise it (`ulimit -n`, LimitNOFILE= of systemd)");
    }
    return open_socket(http, settings.socket, state, warn);
}

Result<> reload_certificate(HttpServer& http, const config::ServerSettings& settings) {
    if (http.encrypted() == settings.tls_cert.empty()) {
        return core::Error{core::ErrorCode::kInvalidConfig,
                           "TLS is switched on and off by a restart only", "server.tls_cert"};
    }
    return settings.tls_cert.empty() ? Result<>{} : load_certificate(http, settings);
}

}  // namespace headway::server
