// SPDX-License-Identifier: Apache-2.0
#include "hook/way/exchange.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

using namespace headway::hook;

namespace {

/// More than the buffer of a socket holds.
const std::string kLongBody(8 << 20, 'x');

/// A peer that sends `reply` and closes without having read the request.
Outcome exchange_with_closed(const std::string& reply) {
    int ends[2] = {-1, -1};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    REQUIRE(::send(ends[1], reply.data(), reply.size(), 0) == static_cast<ssize_t>(reply.size()));
    ::close(ends[1]);
    return exchange(ends[0], "POST / HTTP/1.1\r\n\r\n", kLongBody, -1, 5'000);
}

std::string reply_of(const std::string& status, const std::string& body = "{}") {
    return "HTTP/1.1 " + status +
           " x\r\nX-Headway: 1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           body;
}

}  // namespace

TEST_CASE("exchange: a refusal is read though the request was not taken whole", "[hook]") {
    for (const int status : {401, 403, 413, 429}) {
        const Outcome refused = exchange_with_closed(reply_of(std::to_string(status)));
        CHECK(refused.status == status);
        CHECK_FALSE(refused.away.empty());
    }
}

TEST_CASE("exchange: a success for half a request is none", "[hook]") {
    const Outcome outcome = exchange_with_closed(reply_of("200"));
    CHECK(outcome.body.empty());
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.away, Catch::Contains("did not take the request"));
}

TEST_CASE("exchange: a peer that is gone without a word did not take the request", "[hook]") {
    CHECK_THAT(exchange_with_closed({}).away, Catch::Contains("did not take the request"));
}

TEST_CASE("exchange: a success that is no JSON object is none", "[hook]") {
    for (const std::string body :
         {"", " ", "{", "{\"a\":", "<html></html>", "[]", "null", "{}\n"}) {
        CAPTURE(body);
        int ends[2] = {-1, -1};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
        const std::string reply = reply_of("200", body);
        REQUIRE(::send(ends[1], reply.data(), reply.size(), 0) ==
                static_cast<ssize_t>(reply.size()));
        const Outcome outcome = exchange(ends[0], "POST / HTTP/1.1\r\n\r\n", "{}", -1, 5'000);
        CHECK(outcome.away.empty() == (body == "{}\n"));
        ::close(ends[1]);
    }
}
