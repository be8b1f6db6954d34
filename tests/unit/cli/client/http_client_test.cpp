// SPDX-License-Identifier: Apache-2.0
#include "cli/client/http_client.hpp"

#include <catch2/catch.hpp>
#include <new>
#include <stdexcept>
#include <string>

#include "tests/support/answering_server.hpp"

using namespace headway::cli;
using namespace headway::tests;

namespace {

HttpRequest get(const AnsweringServer& server) {
    HttpRequest request;
    request.method = "GET";
    request.url = server.url() + "/";
    request.timeout = std::chrono::seconds{20};
    return request;
}

}  // namespace

TEST_CASE("http client: what a handler throws fails the transfer, and the client goes on",
          "[cli]") {
    const AnsweringServer server{
        "HTTP/1.1 200 OK\r\nX-Headway: 1\r\nConnection: close\r\n\r\ndata: 1\n\n"};
    HttpClient client;
    const auto idle = [] { return true; };
    const HttpReply failed = client.stream(
        get(server),
        {[](std::string_view) -> bool { throw std::runtime_error("cannot read that"); }, idle});
    CHECK(failed.status == 200);
    CHECK_THAT(failed.error, Catch::Contains("cannot read that"));
    const HttpReply empty = client.stream(
        get(server), {[](std::string_view) -> bool { throw std::bad_alloc(); }, idle});
    CHECK_FALSE(empty.error.empty());
    std::string data;
    const HttpReply good = client.stream(get(server), {[&](std::string_view bytes) {
                                                           data += bytes;
                                                           return true;
                                                       },
                                                       idle});
    CHECK(good.error.empty());
    CHECK(data == "data: 1\n\n");
}

TEST_CASE("http client: what is thrown between two turns leaves the client usable", "[cli]") {
    const AnsweringServer server{
        "HTTP/1.1 200 OK\r\nX-Headway: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"};
    HttpClient client;
    const auto take = [](std::string_view) { return true; };
    CHECK_THROWS_AS(
        client.stream(get(server), {take, []() -> bool { throw std::logic_error("x"); }}),
        std::logic_error);
    CHECK(client.send(get(server)).body == "ok");
}

TEST_CASE("http client: a reply that is cut off is no answer", "[cli]") {
    const AnsweringServer server{
        "HTTP/1.1 200 OK\r\nX-Headway: 1\r\nContent-Length: 50\r\n\r\nhello"};
    HttpClient client;
    const HttpReply reply = client.send(get(server));
    CHECK(reply.status == 0);
    CHECK_FALSE(reply.error.empty());
}

TEST_CASE("http client: a body beyond the bound is no answer", "[cli]") {
    const std::string body(1 << 20, 'x');
    for (const int status : {200, 500}) {
        const AnsweringServer server{AnsweringServer::reply(status, body)};
        HttpClient client;
        HttpRequest request = get(server);
        request.reply_bytes_max = body.size();
        const HttpReply whole = client.send(request);
        CHECK(whole.status == status);
        CHECK(whole.body.size() == body.size());
        request.reply_bytes_max = body.size() - 1;
        const HttpReply sent = client.send(request);
        CHECK(sent.status == 0);
        CHECK(sent.body.size() < body.size());
        CHECK_THAT(sent.error, Catch::Contains("too long"));
    }
}

TEST_CASE("http client: a stream has no bound, the body of a refused one has", "[cli]") {
    const std::string body(1 << 20, 'x');
    std::size_t bytes = 0;
    const HttpClient::StreamHandlers handlers{[&bytes](std::string_view data) {
                                                  bytes += data.size();
                                                  return true;
                                              },
                                              [] { return true; }};
    HttpClient client;
    const AnsweringServer good{AnsweringServer::reply(200, body)};
    HttpRequest request = get(good);
    request.reply_bytes_max = 1'000;
    CHECK(client.stream(request, handlers).error.empty());
    CHECK(bytes == body.size());
    const AnsweringServer bad{AnsweringServer::reply(500, body)};
    request.url = get(bad).url;
    const HttpReply refused = client.stream(request, handlers);
    CHECK(refused.body.size() <= 1'000);
    CHECK_THAT(refused.error, Catch::Contains("too long"));
}

TEST_CASE("http client: a success of another program is no reply", "[cli]") {
    const AnsweringServer server{
        "HTTP/1.1 200 OK\r\nX-Headway-Goal: check\r\nConnection: close\r\n\r\n{\"ok\":true}"};
    HttpClient client;
    const HttpReply sent = client.send(get(server));
    CHECK(sent.status == 0);
    CHECK(sent.body.empty());
    CHECK_THAT(sent.error, Catch::Contains("another program"));
    bool passed_on = false;
    const HttpReply held = client.stream(get(server), {[&](std::string_view) {
                                                           passed_on = true;
                                                           return true;
                                                       },
                                                       [] { return true; }});
    CHECK(held.status == 0);
    CHECK_FALSE(passed_on);
}

TEST_CASE("http client: a reply tells whether a daemon may have the request", "[cli]") {
    HttpClient client;
    const auto is_connected = [&client](const HttpRequest& request) {
        const auto take = [](std::string_view) { return true; };
        const bool streamed = client.stream(request, {take, [] { return true; }}).connected;
        CHECK(client.send(request).connected == streamed);
        return streamed;
    };
    CHECK(is_connected(get(AnsweringServer{AnsweringServer::reply(200, "{}")})));
    CHECK(is_connected(get(AnsweringServer{std::string{}})));
    CHECK(is_connected(get(AnsweringServer{std::string{"HTTP/1.1 200 OK\r\nX-Hea"}})));
    CHECK_FALSE(is_connected(get(AnsweringServer{std::string{"SSH-2.0-OpenSSH_9.2\r\n"}})));
    HttpRequest nowhere;
    nowhere.url = "http://127.0.0.1:1/";  // tcpmux: without a listener
    CHECK_FALSE(is_connected(nowhere));
}
