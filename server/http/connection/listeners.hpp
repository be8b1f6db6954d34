// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>

#include "config/settings/settings.hpp"
#include "core/base/result.hpp"

namespace headway::server {

class HttpServer;

/// Logs a warning.
using WarnListener = std::function<void(const std::string& line)>;

/// Opens the configured port, with TLS if a certificate is configured, and two Unix sockets, one
/// for the operator and one for reports; config/load/load.hpp describes their paths. If a socket
/// with a relative path cannot be created, this is only a warning, because the path may be the
/// default. Error: kInvalidConfig. I/O thread only.
core::Result<> open_listeners(HttpServer& http, const config::Settings& settings,
                              const std::map<std::string, std::string>& environment,
                              const WarnListener& warn);

/// Checks the certificate, the paths of the sockets and their group before open_listeners() uses
/// them. Opens no socket. Error: kInvalidConfig. Any thread.
core::Result<> check_listeners(const config::Settings& settings,
                               const std::map<std::string, std::string>& environment);

/// Reloads the certificate for new connections. `in_force` has the settings of the current
/// listener. Error: kInvalidConfig, also if the new access settings do not allow this listener; the
/// old certificate then stays in use. Only a restart can turn TLS on or off, or move the listener.
core::Result<> reload_listener(HttpServer& http, const config::ServerSettings& in_force,
                               const config::Settings& loaded);

}  // namespace headway::server
