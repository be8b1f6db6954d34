// SPDX-License-Identifier: Apache-2.0
#include "cli/client/http_client.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/support/listener.hpp"

using namespace headway::cli;
using namespace headway::tests;

namespace {

/// Answers each connection with the same bytes and ends it, on a thread of its own.
class ServerThread {
public:
    explicit ServerThread(std::string reply)
        : reply_(std::move(reply)), thread_([this] { run(); }) {}
    ~ServerThread() {
        done_ = true;
        thread_.join();
    }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(listener_.port()) + "/"; }

private:
    void run() {
        while (!done_) {
            auto far = listener_.accept();
            if (!far) {
                std::this_thread::yield();
                continue;
            }
            while (!done_ && far->read().find("\r\n\r\n") == std::string::npos && !far->ended())
                std::this_thread::yield();
            far->send(reply_);
        }
    }

    std::string reply_;
    Listener listener_;
    std::atomic<bool> done_{false};
    std::thread thread_;
};

HttpRequest get(const ServerThread& server) {
    HttpRequest request;
    request.method = "GET";
    request.url = server.url();
    request.timeout = std::chrono::seconds{20};
    return request;
}

}  // namespace

TEST_CASE("http client: what a handler throws fails the transfer, and the client goes on",
          "[cli]") {
    const ServerThread server{
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
    const ServerThread server{
        "HTTP/1.1 200 OK\r\nX-Headway: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"};
    HttpClient client;
    const auto take = [](std::string_view) { return true; };
    CHECK_THROWS_AS(
        client.stream(get(server), {take, []() -> bool { throw std::logic_error("x"); }}),
        std::logic_error);
    CHECK(client.send(get(server)).body == "ok");
}

TEST_CASE("http client: a reply that is cut off is no answer", "[cli]") {
    const ServerThread server{"HTTP/1.1 200 OK\r\nX-Headway: 1\r\nContent-Length: 50\r\n\r\nhello"};
    HttpClient client;
    const HttpReply reply = client.send(get(server));
    CHECK(reply.status == 0);
    CHECK_FALSE(reply.error.empty());
}

TEST_CASE("http client: a success of another program is no reply", "[cli]") {
    const ServerThread server{
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
