// SPDX-License-Identifier: Apache-2.0
#include "server/http/connection/listeners.hpp"

#include <filesystem>
#include <system_error>

#include "config/load/load.hpp"
#include "config/settings/address.hpp"
#include "core/base/limits.hpp"
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

/// Whether a socket that must open can: its path is of a length that the kernel takes, is free or a
/// socket, and lies in a folder. The state directory itself may be made later.
Result<> check_socket(const std::filesystem::path& path, const std::string& written,
                      const char* key) {
    std::error_code ignored;
    const std::string name = path.string();
    const auto refuse = [&](const std::string& why) {
        return wrong(std::string{key} + ": " + why, key);
    };
    if (name.size() > core::limits::kSocketPathBytesMax)
        return refuse("the path has " + std::to_string(name.size()) +
                      " bytes and the kernel takes " +
                      std::to_string(core::limits::kSocketPathBytesMax));
    const auto type = std::filesystem::symlink_status(path, ignored).type();
    if (type != std::filesystem::file_type::socket && type != std::filesystem::file_type::not_found)
        return refuse(name + " exists and is no socket");
    const bool in_state_dir = !std::filesystem::path{written}.has_parent_path();
    if (in_state_dir || std::filesystem::is_directory(path.parent_path(), ignored)) return {};
    return refuse("there is no folder " + path.parent_path().string());
}

/// True if the daemon ends without the socket; without any other it starts all the same.
bool is_named(const config::ServerSettings& server) {
    return server.socket.starts_with('/');
}

bool are_reports_named(const config::ServerSettings& server) {
    return server.report_socket.starts_with('/') || !server.report_group.empty();
}

Result<> open_sockets(HttpServer& http, const config::Settings& settings,
                      const std::map<std::string, std::string>& environment,
                      const WarnListener& warn) {
    const config::ServerSettings& server = settings.server;
    const auto operators = config::operator_socket(settings, environment);
    const auto reports = config::report_socket(settings, environment);
    HEADWAY_CHECK(check_two_paths(operators, reports));
    if (!operators.empty())
        HEADWAY_CHECK(or_warn(http.listen_local(operators), is_named(server), warn));
    if (reports.empty()) return {};
    return or_warn(http.listen_for_reports(reports, server.report_group), are_reports_named(server),
                   warn);
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
    const auto operators = config::operator_socket(settings, environment);
    HEADWAY_CHECK(check_two_paths(operators, reports));
    if (is_named(server)) HEADWAY_CHECK(check_socket(operators, server.socket, "server.socket"));
    if (!reports.empty() && are_reports_named(server))
        HEADWAY_CHECK(check_socket(reports, server.report_socket, "server.report_socket"));
    if (reports.empty() || server.report_group.empty() || is_group(server.report_group)) return {};
    return wrong("server.report_group: there is no group \"" + server.report_group + "\"",
                 "server.report_group");
}

Result<> reload_listener(HttpServer& http, const config::ServerSettings& in_force,
                         const config::Settings& loaded) {
    const config::ServerSettings& settings = loaded.server;
    if (const auto fits = config::check_listener(in_force, loaded.access); !fits) {
        return wrong("the listener stays as it is until a restart: " + fits.error().detail,
                     "access.mode");
    }
    if (http.encrypted() == settings.tls_cert.empty()) {
        return core::Error{core::ErrorCode::kInvalidConfig,
                           "TLS is switched on and off by a restart only", "server.tls_cert"};
    }
    return settings.tls_cert.empty() ? Result<>{} : load_certificate(http, settings);
}

}  // namespace headway::server
