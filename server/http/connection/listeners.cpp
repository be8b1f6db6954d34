// SPDX-License-Identifier: Apache-2.0
#include "server/http/connection/listeners.hpp"

#include "config/load/load.hpp"
#include "config/settings/address.hpp"
#include "server/http/connection/http_server.hpp"

namespace headway::server {
namespace {

using core::Result;

Result<> load_certificate(HttpServer& http, const config::ServerSettings& settings) {
    HEADWAY_TRY(auto tls, TlsContext::load(settings.tls_cert, settings.tls_key));
    http.set_tls(std::move(tls));
    return {};
}

/// A socket that cannot be created only stops the daemon if it was asked for by name: a relative
/// path may be the default.
Result<> or_warn(Result<> done, bool asked_for, const WarnListener& warn) {
    if (done || asked_for) return done;
    warn(done.error().detail);
    return {};
}

core::Error wrong(const std::string& detail, const char* key) {
    return {core::ErrorCode::kInvalidConfig, detail, key};
}

Result<> check_two_paths(const std::filesystem::path& operators,
                         const std::filesystem::path& reports) {
    if (reports.empty() || operators != reports) return {};
    return wrong("server.report_socket must be another path than server.socket",
                 "server.report_socket");
}

/// Only of a path that was asked for by name: the folder of any other is made.
Result<> check_folder(const std::string& path, const char* key) {
    std::error_code ignored;
    if (path.empty() || path.front() != '/') return {};
    const auto folder = std::filesystem::path{path}.parent_path();
    if (std::filesystem::is_directory(folder, ignored)) return {};
    return wrong(std::string{key} + ": there is no folder " + folder.string(), key);
}

Result<> open_sockets(HttpServer& http, const config::Settings& settings,
                      const std::map<std::string, std::string>& environment,
                      const WarnListener& warn) {
    const config::ServerSettings& server = settings.server;
    const auto operators = config::operator_socket(settings, environment);
    const auto reports = config::report_socket(settings, environment);
    HEADWAY_CHECK(check_two_paths(operators, reports));
    if (!operators.empty()) {
        const bool named = server.socket.front() == '/';
        HEADWAY_CHECK(or_warn(http.listen_local(operators), named, warn));
    }
    if (reports.empty()) return {};
    const bool named = server.report_socket.front() == '/' || !server.report_group.empty();
    return or_warn(http.listen_for_reports(reports, server.report_group), named, warn);
}

}  // namespace

Result<> open_listeners(HttpServer& http, const config::Settings& settings,
                        const std::map<std::string, std::string>& environment,
                        const WarnListener& warn) {
    const config::ServerSettings& server = settings.server;
    HEADWAY_TRY(const config::ListenAddress address, config::parse_listen_address(server.listen));
    if (!server.tls_cert.empty()) {
        HEADWAY_CHECK(load_certificate(http, server));
    }
    HEADWAY_CHECK(http.listen(address.host, address.port));
    if (!address.loopback && !http.encrypted()) {
        warn(server.listen +
             " can be reached from other machines without TLS: tokens can be read on their way");
    }
    if (http.connections_max() < server.connections_max) {
        warn("the limit of open files leaves room for " + std::to_string(http.connections_max()) +
             " connections, not " + std::to_string(server.connections_max) +
             "; raise it (`ulimit -n`, LimitNOFILE= of systemd)");
    }
    return open_sockets(http, settings, environment, warn);
}

Result<> check_listeners(const config::Settings& settings,
                         const std::map<std::string, std::string>& environment) {
    const config::ServerSettings& server = settings.server;
    if (!server.tls_cert.empty()) {
        HEADWAY_TRY(const auto tls, TlsContext::load(server.tls_cert, server.tls_key));
        (void)tls;
    }
    const auto reports = config::report_socket(settings, environment);
    HEADWAY_CHECK(check_two_paths(config::operator_socket(settings, environment), reports));
    HEADWAY_CHECK(check_folder(server.socket, "server.socket"));
    HEADWAY_CHECK(check_folder(server.report_socket, "server.report_socket"));
    if (reports.empty() || server.report_group.empty() || is_group(server.report_group)) return {};
    return wrong("server.report_group: there is no group \"" + server.report_group + "\"",
                 "server.report_group");
}

Result<> reload_certificate(HttpServer& http, const config::ServerSettings& settings) {
    if (http.encrypted() == settings.tls_cert.empty()) {
        return core::Error{core::ErrorCode::kInvalidConfig,
                           "TLS is switched on and off by a restart only", "server.tls_cert"};
    }
    return settings.tls_cert.empty() ? Result<>{} : load_certificate(http, settings);
}

}  // namespace headway::server
