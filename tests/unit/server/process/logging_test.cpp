// SPDX-License-Identifier: Apache-2.0
#include "server/process/logging.hpp"

#include <spdlog/details/log_msg.h>
#include <spdlog/formatter.h>

#include "tests/support/hostile_text.hpp"

using namespace headway;

TEST_CASE("logging: of 500 hostile texts no two look the same, and none hides anything",
          "[server]") {
    for (const bool json : {false, true}) {
        const auto formatter = server::log_formatter(json);
        std::set<std::string> shown;
        for (const std::string& text : tests::hostile_texts()) {
            const spdlog::details::log_msg message{
                spdlog::log_clock::time_point{}, {}, "headway", spdlog::level::warn, text};
            spdlog::memory_buf_t line;
            formatter->format(message, line);
            const std::string seen{line.data(), line.size()};
            tests::require_visible(seen);
            REQUIRE(seen.find('\n') == seen.size() - 1);  // no agent writes a line of its own
            shown.insert(seen);
        }
        CHECK(shown.size() == 500);
    }
}
