// SPDX-License-Identifier: Apache-2.0
#include "server/http/message/response.hpp"

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

TEST_CASE("response: the usual reply has the fields of every other", "[server]") {
    Envelope envelope;
    envelope.request_id = "r-1";
    envelope.microseconds = 12'034;
    Response response;
    response.body = "{}";
    std::string usual;
    append_response(usual, response, envelope);
    CHECK(usual ==
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
          "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
          "Referrer-Policy: no-referrer\r\nCross-Origin-Opener-Policy: same-origin\r\n"
          "Cross-Origin-Resource-Policy: same-origin\r\nX-Headway: 1\r\nX-Request-Id: r-1\r\n"
          "Server-Timing: app;dur=12.034\r\n\r\n{}");
    response.headers = "X-Own: 1\r\n";  // so that it is put together piece by piece
    std::string other;
    append_response(other, response, envelope);
    const std::size_t own = other.find(response.headers);
    REQUIRE(own != std::string::npos);
    CHECK(other.erase(own, response.headers.size()) == usual);
    response.headers.clear();
    const std::string long_id(200, 'i');
    envelope.request_id = long_id;
    std::string with_long_id;
    append_response(with_long_id, response, envelope);
    CHECK_THAT(with_long_id, Catch::Contains("X-Request-Id: " + long_id + "\r\n"));
    envelope.request_id = "r-1";
    envelope.head_only = true;
    std::string head;
    append_response(head, response, envelope);
    CHECK(head + "{}" == usual);
}
