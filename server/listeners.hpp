// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "config/settings.hpp"
#include "core/result.hpp"

namespace headway::server {

class HttpServer;

/// A line for the log that somebody should read.
using WarnListener = std::function<void(const std::string& line)>;

/// Opens the port and the Unix socket that `settings` ask for, a relative one below `state`, with
/// TLS if there is a certificate. A relative socket that cannot be made is only warned of: nobody
/// may have asked for it. Error: kInvalidConfig. I/O thread only.
core::Result<> open_listeners(HttpServer& http, const config::ServerSettings& settings,
                              const std::filesystem::path& state, const WarnListener& warn);

/// Reads the certificate again, for new connections. Error: kInvalidConfig; then the old one stays.
/// TLS itself is switched on and off by a restart only.
core::Result<> reload_certificate(HttpServer& http, const config::ServerSettings& settings);

}  // namespace headway::server
