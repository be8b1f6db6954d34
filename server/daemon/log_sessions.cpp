// SPDX-License-Identifier: Apache-2.0
#include "server/daemon/log_sessions.hpp"

#include <spdlog/spdlog.h>

#include <array>
#include <cstddef>
#include <string>

#include "server/engine/turn/engine.hpp"

namespace headway::server {

void log_sessions(Engine& engine, std::shared_ptr<spdlog::logger> log) {
    static constexpr std::array kLevels{spdlog::level::debug, spdlog::level::info,
                                        spdlog::level::warn};
    engine.log_sessions_with(
        [log](SessionLog::Level level, const std::string& line) {
            log->log(kLevels.at(static_cast<std::size_t>(level)), "{}", line);
        },
        [log] { return log->should_log(spdlog::level::debug); });
}

}  // namespace headway::server
