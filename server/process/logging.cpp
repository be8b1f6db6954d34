// SPDX-License-Identifier: Apache-2.0
#include "server/process/logging.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "api/json/json_document.hpp"
#include "core/text/visible.hpp"

namespace headway::server {
namespace {

/// `%*`: the message, which may quote an agent, on one line without hidden characters; as a JSON
/// string where the log is JSON.
class VisibleMessage final : public spdlog::custom_flag_formatter {
public:
    explicit VisibleMessage(bool json) : json_(json) {}
    void format(const spdlog::details::log_msg& message, const std::tm&,
                spdlog::memory_buf_t& out) override {
        std::string text = core::visible({message.payload.data(), message.payload.size()});
        if (json_) {
            std::string quoted;
            api::append_json_string(quoted, text);
            text = std::move(quoted);
        }
        out.append(text.data(), text.data() + text.size());
    }
    std::unique_ptr<custom_flag_formatter> clone() const override {
        return std::make_unique<VisibleMessage>(json_);
    }

private:
    bool json_;
};

}  // namespace

std::unique_ptr<spdlog::formatter> log_formatter(bool json) {
    // The text with times of this place, the JSON with those of all places.
    auto formatter = std::make_unique<spdlog::pattern_formatter>(
        json ? spdlog::pattern_time_type::utc : spdlog::pattern_time_type::local);
    formatter->add_flag<VisibleMessage>('*', json).set_pattern(
        json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":%*})"
             : "%H:%M:%S.%e %^%-5l%$ %*");
    return formatter;
}

std::shared_ptr<spdlog::logger> make_logger(const config::LogSettings& settings) {
    auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    auto logger = std::make_shared<spdlog::logger>("headway", sink);
    const bool json =
        settings.format == "json" || (settings.format == "auto" && isatty(STDERR_FILENO) == 0);
    logger->set_formatter(log_formatter(json));
    logger->flush_on(spdlog::level::info);
    set_log_level(*logger, settings.level);
    return logger;
}

void set_log_level(spdlog::logger& logger, const std::string& level) {
    logger.set_level(spdlog::level::from_str(level));
}

}  // namespace headway::server
