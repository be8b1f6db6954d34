// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace spdlog {
class logger;
}

namespace headway::server {

class Engine;

/// Sends the engine's lines about sessions to the log. To be called before the engine's first turn.
void log_sessions(Engine& engine, std::shared_ptr<spdlog::logger> log);

}  // namespace headway::server
