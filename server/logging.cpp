// SPDX-License-Identifier: Apache-2.0
#include "server/logging.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "api/json_tape.hpp"

namespace headway::server {
namespace {

/// `%*`: the message as a JSON string.
class JsonMessage final : public spdlog::custom_flag_formatter {
public:
    void format(const spdlog::details::log_msg& message, const std::tm&,
                spdlog::memory_buf_t& out) override {
        std::string text;
        api::append_json_string(text, {message.payload.data(), message.payload.size()});
        out.append(text.data(), text.data() + text.size());
    }
    std::unique_ptr<custom_flag_formatter> clone() const override {
        return std::make_unique<JsonMessage>();
    }
};

}  // namespace

std::shared_ptr<spdlog::logger> make_logger(const config::LogSettings& settings) {
    auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    auto logger = std::make_shared<spdlog::logger>("headway", sink);
    const bool json =
        settings.format == "json" || (settings.format == "auto" && isatty(STDERR_FILENO) == 0);
    if (json) {
        auto formatter =
            std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
        formatter->add_flag<JsonMessage>('*').set_pattern(
            R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":%*})");
        logger->set_formatter(std::move(formatter));
    } else {
        logger->set_pattern("%H:%M:%S.%e %^%-5l%$ %v");
    }
    logger->flush_on(spdlog::level::info);
    set_log_level(*logger, settings.level);
    return logger;
}

void set_log_level(spdlog::logger& logger, const std::string& level) {
    logger.set_level(spdlog::level::from_str(level));
}

}  // namespace headway::server
