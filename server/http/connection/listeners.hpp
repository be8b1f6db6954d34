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

/// Opens the configured port, with TLS if there is a certificate, and the Unix sockets, that of the
/// operator and the one that only reports; config/load/load.hpp says where they are. A relative
/// socket that cannot be created only causes a warning, because it may be the default. Error:
/// kInvalidConfig. I/O thread only.
core::Result<> open_listeners(HttpServer& http, const config::Settings& settings,
                              const std::map<std::string, std::string>& environment,
                              const WarnListener& warn);

/// Reloads the certificate for new connections. Error: kInvalidConfig; then the old one stays. Only
/// a restart turns TLS on or off.
core::Result<> reload_certificate(HttpServer& http, const config::ServerSettings& settings);

}  // namespace headway::server
