// SPDX-License-Identifier: Apache-2.0
#include "server/response.hpp"

#include <catch2/catch.hpp>

using namespace headway::server;
using headway::core::ErrorCode;

TEST_CASE("response: every problem has the status line of its status", "[server]") {
    for (int code = 0; code <= static_cast<int>(ErrorCode::kTooManyFailures); ++code) {
        const Response response = problem_response({static_cast<ErrorCode>(code), "why", {}}, "/");
        std::string text;
        append_response(text, response, {});
        INFO("error code " << code);
        CHECK_THAT(text, Catch::StartsWith("HTTP/1.1 " + std::to_string(response.status) + " "));
    }
}
