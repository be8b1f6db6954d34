// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "config/settings/settings.hpp"

namespace spdlog {
class formatter;
class logger;
}  // namespace spdlog

namespace headway::server {

/// The logger of the daemon, on stderr: text on a terminal, else one JSON object on each line.
/// spdlog is set up only here.
std::shared_ptr<spdlog::logger> make_logger(const config::LogSettings& settings);

/// A formatter for log lines, as JSON or text. It is safe for messages that quote text of an agent.
std::unique_ptr<spdlog::formatter> log_formatter(bool json);

void set_log_level(spdlog::logger& logger, const std::string& level);

}  // namespace headway::server
