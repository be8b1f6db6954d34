// SPDX-License-Identifier: Apache-2.0
#include "cli/scan/scanned_session.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace headway;
using namespace headway::cli;

namespace {

StoredLine limited_at(std::optional<double> seconds) {
    core::ErrorReported error;
    error.message = core::bounded_text("Rate limit reached. Please try again in 3s");
    error.error_class = "rate_limit";
    error.status = 429;
    error.ends_turn = true;
    StoredLine line;
    line.seconds = seconds;
    line.events.emplace_back().payload = std::move(error);
    return line;
}

std::string reason_of_block(std::optional<double> seconds) {
    const JudgeOptions options;
    SessionScan scan(options);
    StoredLine line = limited_at(seconds);
    scan.take(line, 1);
    const ScannedSession session = scan.finish({}, 0);
    REQUIRE(session.blocked);
    return session.blocked->reason;
}

}  // namespace

TEST_CASE("scanned session: the end of a limit is a time of the session's own clock", "[cli]") {
    CHECK_THAT(reason_of_block(1'795'948'228), Catch::Contains("until 2026-11-29 10:30"));
}
