// SPDX-License-Identifier: Apache-2.0
#include "server/http/connection/http_server.hpp"

#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <set>

#include "core/base/limits.hpp"
#include "tests/support/listener.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

// Accepting, finding, bounding and ending connections, as seen by peers and callbacks.

using namespace headway::server;
using namespace headway::tests;
namespace limits = headway::core::limits;

namespace {

/// Answers at once, or keeps requests.
struct Keeper final : HttpServer::Handler {
    bool keeps = false;
    std::string body = "{}";
    std::vector<std::pair<std::uint64_t, std::uint64_t>> kept;  ///< connection and slot
    std::vector<std::uint64_t> gone;
    std::size_t shared = 0;

    headway::core::Result<> admit(const Target&, const RequestHead&, const Peer&) override {
        return {};
    }
    void handle(HttpConnection& connection, std::uint64_t slot, const HttpRequest&) override {
        if (keeps) {
            kept.emplace_back(connection.id(), slot);
            return;
        }
        Response response;
        response.body = body;
        connection.respond(slot, response);
    }
    void writable(HttpConnection&) override {}
    bool make_room() override { return false; }
    void closed(std::uint64_t connection) override { gone.push_back(connection); }
    std::size_t held() const override { return shared; }
    void second(Clock::Steady::time_point) override {}
};

struct Served {
    net::io_context io{1};
    Keeper keeper;
    HttpServer http;

    explicit Served(std::uint32_t connections_max = 1000)
        : http(io, settings(connections_max), keeper) {
        require_ok(http.listen("127.0.0.1", 0));
    }
    ~Served() {
        http.close_all();
        http.drain();
        run_until(io, [this] { return http.stats().open == 0; });
    }
    static headway::config::ServerSettings settings(std::uint32_t connections_max) {
        headway::config::ServerSettings built;
        built.connections_max = connections_max;
        return built;
    }
    Wire connect() { return connect_to(http.port()); }
    std::string get() const {
        return "GET /livez HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(http.port()) + "\r\n\r\n";
    }
    bool until(const std::function<bool()>& done) { return run_until(io, done); }
};

}  // namespace

TEST_CASE("http server: each connection has an id of its own, also in a place that was free",
          "[server]") {
    Served served;
    served.keeper.keeps = true;
    std::set<std::uint64_t> ids;
    for (std::size_t round = 1; round <= 5; ++round) {
        Wire far = served.connect();
        far.send(served.get());
        REQUIRE(served.until([&] { return served.keeper.kept.size() == round; }));
        const std::uint64_t id = served.keeper.kept.back().first;
        CHECK(ids.insert(id).second);
        CHECK(served.http.find(id) != nullptr);
        far.reset();
        REQUIRE(served.until([&] { return served.http.stats().open == 0; }));
        CHECK(served.http.find(id) == nullptr);
        CHECK(served.keeper.gone.back() == id);
    }
    CHECK(served.keeper.gone.size() == 5);
}

TEST_CASE("http server: connections in which nothing is in work give way above the cap",
          "[server]") {
    Served served{3};
    Wire asked = served.connect();
    asked.send(served.get());
    REQUIRE(served.until([&] { return !asked.read().empty(); }));
    Wire silent = served.connect();
    Wire half = served.connect();
    half.send("GET /liv");
    REQUIRE(served.until([&] { return served.http.stats().open == 3; }));
    for (int i = 0; i < 5; ++i) {  // those that had no request go first
        Wire another = served.connect();
        another.send(served.get());
        REQUIRE(served.until([&] { return !another.read().empty(); }));
    }
    CHECK(served.http.stats().refused_connections == 0);
}

TEST_CASE(
    "http server: connections above the cap are closed, and the place of one that left is free",
    "[server]") {
    Served served{3};
    served.keeper.keeps = true;
    std::vector<Wire> within;
    for (int i = 0; i < 3; ++i) {
        within.push_back(served.connect());
        within.back().send(served.get());
    }
    REQUIRE(served.until([&] { return served.keeper.kept.size() == 3; }));
    served.keeper.keeps = false;
    Wire above = served.connect();
    REQUIRE(served.until([&] {
        above.read();
        return above.ended();
    }));
    within[1].reset();
    REQUIRE(served.until([&] { return served.http.stats().open == 2; }));
    Wire later = served.connect();
    later.send(served.get());
    CHECK(served.until([&] { return !later.read().empty(); }));
}

TEST_CASE("http server: connections of the operator's socket leave half of the places to others",
          "[server]") {
    TempDir dir;
    Served served{4};
    const std::filesystem::path file = dir.file("headway.sock");
    require_ok(served.http.listen_local(file));
    std::vector<Wire> local;
    for (std::uint32_t i = 0; i < limits::kOperatorConnections + 8; ++i)
        local.push_back(connect_to(file));
    REQUIRE(served.until([&] { return served.http.stats().refused_connections == 6; }));
    CHECK(served.http.stats().open == limits::kOperatorConnections + 2);
    served.keeper.keeps = true;
    std::vector<Wire> others;
    for (std::size_t i = 1; i <= 2; ++i) {
        others.push_back(served.connect());
        others.back().send(served.get());
        REQUIRE(served.until([&] { return served.keeper.kept.size() == i; }));
    }
    local.clear();
    REQUIRE(served.until([&] { return served.http.stats().open == 2; }));
    local.push_back(connect_to(file));
    local.back().send(served.get());
    CHECK(served.until([&] { return served.keeper.kept.size() == 3; }));
}

TEST_CASE("http server: hundreds that reset at once leave nothing", "[server]") {
    Served served;
    served.keeper.keeps = true;
    for (int round = 0; round < 3; ++round) {
        std::vector<Wire> clients;
        for (int i = 0; i < 200; ++i) {
            clients.push_back(served.connect());
            clients.back().send(i % 3 == 0 ? served.get() : served.get().substr(0, 20));
        }
        REQUIRE(served.until([&] { return served.http.stats().open == 200; }));
        for (Wire& client : clients)
            client.reset();
        REQUIRE(served.until([&] { return served.http.stats().open == 0; }));
    }
    CHECK(served.keeper.gone.size() == 600);
    CHECK(served.http.stats().held_bytes == 0);
}

TEST_CASE("http server: with too many unread bytes the largest connections are closed first",
          "[server]") {
    Served served;
    served.keeper.body = std::string(30'000'000, 'x');
    std::vector<Wire> greedy;
    for (int i = 0; i < 7; ++i) {
        greedy.push_back(served.connect());
        greedy.back().send(served.get());
    }
    REQUIRE(served.until([&] { return served.http.stats().held_bytes > 150'000'000; }));
    served.keeper.body = std::string(5'000'000, 'y');
    Wire modest = served.connect();
    modest.send(served.get());
    REQUIRE(served.until([&] { return served.http.stats().requests == 8; }));
    CHECK(served.http.stats().cut == 0);
    // Frames that streams share count too.
    served.keeper.shared = limits::kUnreadBytesMax - 100'000'000;
    served.http.relieve();
    REQUIRE(served.until([&] { return served.keeper.gone.size() == served.http.stats().cut; }));
    CHECK(served.http.stats().cut >= 3);
    CHECK(served.http.stats().cut < 7);
    CHECK(served.http.stats().held_bytes + served.keeper.shared <= limits::kUnreadBytesMax);
    REQUIRE(served.until([&] { return modest.read().size() > 5'000'000; }));
    CHECK_FALSE(modest.was_reset());
}

TEST_CASE("http server: a drain completes pending replies", "[server]") {
    Served served;
    served.keeper.keeps = true;
    Wire idle = served.connect();
    Wire busy = served.connect();
    busy.send(served.get());
    REQUIRE(served.until([&] { return served.keeper.kept.size() == 1; }));
    REQUIRE(served.until([&] { return served.http.stats().open == 2; }));
    served.http.drain();
    REQUIRE(served.until([&] {
        idle.read();
        return idle.ended();
    }));
    HttpConnection* const connection = served.http.find(served.keeper.kept.front().first);
    REQUIRE(connection != nullptr);
    connection->respond(served.keeper.kept.front().second, Response{});
    connection->flush();
    REQUIRE(served.until([&] {
        busy.read();
        return busy.ended();
    }));
    CHECK(busy.received().starts_with("HTTP/1.1 200"));
    CHECK(busy.received().find("Connection: close") != std::string::npos);
    busy.close();
    idle.close();
    CHECK(served.until([&] { return served.http.stats().open == 0; }));
}

TEST_CASE("http server: the Unix socket takes a user and no proxy", "[server]") {
    const TempDir dir;
    Served served;
    require_ok(served.http.listen_local(dir.file("a.sock")));
    served.http.refuse_forwarded(false);
    for (const auto& [header, status] :
         {std::pair{"", " 200 "}, std::pair{"X-Real-IP: ::1\r\n", " 403 "}}) {
        LocalSocket near{served.io};
        near.connect({dir.file("a.sock").string()});
        Wire far{near.release()};
        far.send(std::string{"GET /livez HTTP/1.1\r\nHost: localhost\r\n"} + header + "\r\n");
        REQUIRE(served.until([&] { return !far.read().empty(); }));
        CHECK(far.received().find(status) != std::string::npos);
    }
}
