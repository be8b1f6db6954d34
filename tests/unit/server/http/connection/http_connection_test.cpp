// SPDX-License-Identifier: Apache-2.0
#include "server/http/connection/http_connection.hpp"

#include <catch2/catch.hpp>
#include <new>
#include <stdexcept>

#include "core/base/limits.hpp"
#include "tests/support/connections.hpp"
#include "tests/support/gzip.hpp"
#include "tests/support/names.hpp"

// A peer may do anything with its end of the connection. The tests check only bytes and callbacks.

using namespace headway::server;
using namespace headway::tests;
using headway::core::ErrorCode;

namespace {

const std::string kHead = "Host: localhost:7717\r\n";
const std::string kPostHead =
    "POST /v1/sessions/s/events HTTP/1.1\r\n" + kHead + "Content-Type: application/json\r\n";
const std::string kGetHead = "GET /livez HTTP/1.1\r\n" + kHead + "\r\n";

std::string post_to(const std::string& body) {
    return kPostHead + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string in_chunks(const std::string& body, std::size_t piece) {
    std::string wire = kPostHead + "Transfer-Encoding: chunked\r\n\r\n";
    char size[20];
    for (std::size_t at = 0; at < body.size(); at += piece) {
        const std::string part = body.substr(at, piece);
        std::snprintf(size, sizeof size, "%zx\r\n", part.size());
        wire += size + part + "\r\n";
    }
    return wire + "0\r\n\r\n";
}

std::size_t times_in(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++found;
    return found;
}

struct Crowd {
    net::io_context io{1};
    Connections connections{io};
    Connections::Client client = connections.connect();

    bool until(const std::function<bool()>& done) { return run_until(io, done); }
    bool replies(std::size_t wanted) {
        return until([&] { return times_in(client.far.read(), "HTTP/1.1 ") >= wanted; });
    }
    bool gone() {
        return until([&] { return connections.size() == 0; });
    }
    /// Sends all of it, whatever it takes.
    void send(std::string_view bytes) {
        REQUIRE(until([&] {
            bytes.remove_prefix(client.far.send(bytes));
            return bytes.empty();
        }));
    }
};

}  // namespace

TEST_CASE("connection: a body is refused before it is read where the caller may not send it",
          "[server]") {
    const std::string body(100'000, 'b');
    for (const std::string& request : {post_to(body), in_chunks(body, 7)}) {
        Crowd room;
        room.connections.admits = headway::core::Error{ErrorCode::kUnauthorized, "no token", {}};
        room.send(request.substr(0, 2'000));
        REQUIRE(room.replies(1));
        CHECK_THAT(room.client.far.received(), Catch::StartsWith("HTTP/1.1 401"));
        CHECK_THAT(room.client.far.received(), Catch::Contains("Connection: close"));
    }
    Crowd room;  // one that has come whole is checked by its handler
    room.connections.admits = headway::core::Error{ErrorCode::kUnauthorized, "no token", {}};
    room.send(post_to("b"));
    REQUIRE(room.replies(1));
    CHECK_THAT(room.client.far.received(), Catch::StartsWith("HTTP/1.1 200"));
}

TEST_CASE("connection: a request may come in any pieces", "[server]") {
    const std::string body(300, 'b');
    for (const std::string& request : {post_to(body), in_chunks(body, 7)}) {
        for (const std::size_t piece : {std::size_t{1}, std::size_t{13}, request.size()}) {
            Crowd room;
            for (std::size_t at = 0; at < request.size(); at += piece) {
                room.send(request.substr(at, piece));
                run_ready(room.io);
            }
            REQUIRE(room.replies(1));
            CHECK(room.connections.bodies == std::vector{body});
        }
    }
}

TEST_CASE("connection: pipelined requests are answered in order, also behind chunks", "[server]") {
    Crowd room;
    std::string all;
    for (int i = 0; i < 30; ++i)
        all +=
            i % 2 == 0 ? post_to("p" + std::to_string(i)) : in_chunks("c" + std::to_string(i), 1);
    room.send(all);
    REQUIRE(room.replies(30));
    REQUIRE(room.connections.bodies.size() == 30);
    for (std::size_t i = 0; i < 30; ++i)
        CHECK(room.connections.bodies[i].substr(1) == std::to_string(i));
}

TEST_CASE("connection: a long body leaves the next request whole", "[server]") {
    const std::string body(900'000, 'x');
    for (const std::size_t piece : {1000U, 60'000U, 900'000U}) {
        Crowd room;
        room.send(in_chunks(body, piece) + kGetHead + post_to("y"));
        REQUIRE(room.replies(3));
        CHECK(room.connections.bodies == std::vector<std::string>{body, "", "y"});
        CHECK(room.connections.held == 0);
    }
}

TEST_CASE("connection: a packed body is inflated, and the next request waits behind it",
          "[server]") {
    Crowd room;
    const std::string body(headway::core::limits::kBodyAtOnceBytesMax, 'z');
    const std::string packed = gzip(body);
    room.send(kPostHead + "Content-Encoding: gzip\r\nContent-Length: " +
              std::to_string(packed.size()) + "\r\n\r\n" + packed + post_to("next"));
    REQUIRE(room.replies(2));
    CHECK(room.connections.bodies == std::vector<std::string>{body, "next"});
}

TEST_CASE("connection: a packed body of more than is read at once is passed on as it is",
          "[server]") {
    Crowd room;
    const std::string packed =
        gzip(std::string(headway::core::limits::kBodyAtOnceBytesMax + 1, 'z'));
    std::vector<bool> still_packed;
    room.connections.answer = [&](HttpConnection& connection, std::uint64_t slot,
                                  const HttpRequest& request) {
        still_packed.push_back(request.packed);
        connection.respond(slot, {});
    };
    room.send(kPostHead + "Content-Encoding: gzip\r\nContent-Length: " +
              std::to_string(packed.size()) + "\r\n\r\n" + packed + post_to("next"));
    REQUIRE(room.replies(2));
    CHECK(room.connections.bodies == std::vector<std::string>{packed, "next"});
    CHECK(still_packed == std::vector{true, false});
}

TEST_CASE("connection: a request that is kept stays whole, and the next one waits behind it",
          "[server]") {
    for (const bool leaves : {false, true}) {
        Crowd room;
        HttpConnection* keeper = nullptr;
        std::string_view body;
        room.connections.answer = [&](HttpConnection& connection, std::uint64_t slot,
                                      const HttpRequest& request) {
            connection.respond(slot, {});
            if (keeper != nullptr) return;
            keeper = &connection;
            body = request.body;
            connection.keep_request();
        };
        const std::string sent(20'000, 'k');
        room.send(post_to(sent) + post_to("next"));
        REQUIRE(room.replies(1));
        run_ready(room.io);
        if (leaves) {
            keeper->close();
            run_ready(room.io);
        }
        CHECK(body == sent);
        CHECK(room.connections.size() == 1);
        CHECK(room.connections.bodies.size() == 1);
        keeper->let_go();
        if (leaves) {
            REQUIRE(room.gone());
            CHECK(room.connections.bodies.size() == 1);
        } else {
            REQUIRE(room.replies(2));
            CHECK(room.connections.bodies.back() == "next");
        }
        run_ready(room.io);
        CHECK(room.connections.held == 0);
    }
}

TEST_CASE("connection: a packed body counts as held until it has been inflated", "[server]") {
    Crowd room;
    std::string body(40'000, ' ');  // incompressible, and too small for BulkTurns
    std::uint32_t random = 1;
    for (char& c : body)
        c = static_cast<char>((random = random * 1'664'525 + 1'013'904'223) >> 24);
    const std::string packed = gzip(body);
    const std::string head =
        kPostHead + "Content-Encoding: gzip\r\nContent-Length: " + std::to_string(packed.size()) +
        "\r\n\r\n";
    for (const bool leaves : {false, true}) {
        room.client = room.connections.connect();
        room.connections.bodies.clear();
        room.send(head + packed.substr(0, packed.size() - 1));
        run_ready(room.io);
        for (int i = 0; i < 4'000; ++i)  // others were there before
            room.connections.bulk().add([] {});
        room.send(packed.substr(packed.size() - 1));
        for (int i = 0; i < 200; ++i) {
            room.io.restart();
            room.io.poll_one();
        }
        CHECK(room.connections.held >= static_cast<std::ptrdiff_t>(packed.size()));
        CHECK(room.connections.bodies.empty());
        if (leaves) {
            room.connections.find(room.client.id)->close();
            CHECK(room.connections.held == 0);
        } else {
            REQUIRE(room.replies(1));
            CHECK(room.connections.bodies == std::vector{body});
        }
        run_ready(room.io);
        CHECK(room.connections.held == 0);
    }
}

TEST_CASE("connection: a packed body that is too large or damaged is refused", "[server]") {
    const std::string head = "POST /v1/sessions/s/heartbeat HTTP/1.1\r\n" + kHead +
                             "Content-Type: application/json\r\n";  // takes no long ones
    const std::string bomb = gzip(std::string(5'000'000, '\0'));
    for (const auto& [packed, status] :
         {std::pair{bomb, " 413 "}, std::pair{bomb.substr(5), " 400 "}}) {
        Crowd room;
        room.send(head + "Content-Encoding: gzip\r\nContent-Length: " +
                  std::to_string(packed.size()) + "\r\n\r\n" + packed + kGetHead);
        REQUIRE(room.until([&] {
            room.client.far.read();
            return room.client.far.ended();
        }));
        CHECK(times_in(room.client.far.received(), status) == 1);
        CHECK(room.connections.bodies.empty());
    }
}

TEST_CASE("connection: a broken chunk is refused in words, wherever it comes", "[server]") {
    const std::string wire =
        kPostHead + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5;x=y\r\n";
    for (const std::size_t piece : {std::size_t{1}, wire.size()}) {
        Crowd room;
        for (std::size_t at = 0; at < wire.size(); at += piece) {
            room.client.far.send(wire.substr(at, piece));
            run_ready(room.io);
        }
        REQUIRE(room.until([&] {
            room.client.far.read();
            return room.client.far.ended();
        }));
        CHECK(room.client.far.received().starts_with("HTTP/1.1 400"));
        CHECK(times_in(room.client.far.received(), "hexadecimal digits and a line end, without") ==
              1);
        CHECK(times_in(room.client.far.received(), "\"field\":\"Transfer-Encoding\"") == 1);
    }
}

TEST_CASE("connection: 100 Continue comes when the body is awaited, and not before older replies",
          "[server]") {
    Crowd room;
    std::uint64_t slot = 0;
    room.connections.answer = [&](HttpConnection& connection, std::uint64_t number,
                                  const HttpRequest& request) {
        if (request.body == "later") slot = number;
        if (request.body != "later") connection.respond(number, Response{});
    };
    room.send(post_to("later") + kPostHead + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    run_ready(room.io);
    CHECK(room.client.far.read().empty());
    HttpConnection& connection = *room.connections.find(room.client.id);
    connection.respond(slot, Response{});
    connection.flush();
    REQUIRE(room.replies(2));
    const std::string& got = room.client.far.received();
    CHECK(got.starts_with("HTTP/1.1 200 OK"));
    CHECK(got.ends_with("HTTP/1.1 100 Continue\r\n\r\n"));
    room.send("ab");
    CHECK(room.replies(3));
}

TEST_CASE("connection: keep-alive of an HTTP/1.0 client is confirmed", "[server]") {
    Crowd room;
    room.send("GET /livez HTTP/1.0\r\n" + kHead + "Connection: keep-alive\r\n\r\n");
    REQUIRE(room.replies(1));
    CHECK(times_in(room.client.far.take(), "\r\nConnection: keep-alive\r\n") == 1);
    room.send("GET /livez HTTP/1.0\r\n" + kHead + "\r\n");
    REQUIRE(room.until([&] {
        room.client.far.read();
        return room.client.far.ended();
    }));
    CHECK(times_in(room.client.far.received(), "\r\nConnection: close\r\n") == 1);
}

TEST_CASE("connection: a reset at any byte leaves nothing behind", "[server]") {
    const std::string packed = gzip("hello");
    const std::string requests[] = {post_to("hello"), in_chunks("hello", 2),
                                    kPostHead + "Content-Encoding: gzip\r\nContent-Length: " +
                                        std::to_string(packed.size()) + "\r\n\r\n" + packed};
    for (const std::string& request : requests) {
        for (std::size_t cut = 0; cut <= request.size(); cut += 3) {
            Crowd room;
            room.client.far.send(request.substr(0, cut));
            run_ready(room.io);
            room.client.far.reset();
            REQUIRE(room.gone());
            CHECK(room.connections.closed_ids.size() == 1);
            CHECK(room.connections.held == 0);
        }
    }
}

TEST_CASE("connection: its end is reported from the loop, not from inside a call", "[server]") {
    Crowd room;
    HttpConnection& connection = *room.connections.find(room.client.id);
    connection.close();
    CHECK(room.connections.closed_ids.empty());
    CHECK_FALSE(connection.writable());
    connection.close();
    connection.append_stream("x");
    connection.finish_stream();
    connection.flush();
    REQUIRE(room.gone());
    CHECK(room.connections.closed_ids == std::vector{room.client.id});
}

TEST_CASE("connection: an owner that closes it in the middle of a request is not missed",
          "[server]") {
    Crowd room;
    room.connections.answer = [](HttpConnection& connection, std::uint64_t slot,
                                 const HttpRequest&) {
        connection.close();
        connection.respond(slot, Response{});
    };
    room.send(post_to("a") + post_to("b") + in_chunks("c", 1));
    REQUIRE(room.gone());
    CHECK(room.connections.bodies == std::vector<std::string>{"a"});
}

TEST_CASE("connection: a peer that resets while replies wait is noticed by the next write",
          "[server]") {
    Crowd room;
    room.connections.answer = [](HttpConnection&, std::uint64_t, const HttpRequest&) {};
    room.send(post_to("a"));
    REQUIRE(room.until([&] { return room.connections.bodies.size() == 1; }));
    room.client.far.reset();
    HttpConnection* const connection = room.connections.find(room.client.id);
    Response response;
    response.body = std::string(1'000'000, 'x');
    connection->respond(1, response);
    connection->flush();
    CHECK(room.gone());
    CHECK(room.connections.held == 0);
}

TEST_CASE("connection: a reply larger than the socket goes out as it is read", "[server]") {
    Crowd room;
    room.client = room.connections.connect(8192, 8192);
    room.connections.answer = [](HttpConnection& connection, std::uint64_t slot,
                                 const HttpRequest&) {
        Response response;
        response.body = std::string(3'000'000, 'x');
        connection.respond(slot, response);
    };
    room.send(kGetHead);
    REQUIRE(room.until([&] { return room.connections.held > 2'000'000; }));
    REQUIRE(room.until([&] { return room.client.far.read().size() > 3'000'000; }));
    REQUIRE(room.until([&] { return room.connections.held == 0; }));
    CHECK(room.client.far.received().ends_with(std::string(1000, 'x')));
}

TEST_CASE("connection: a half closed peer gets its pending replies", "[server]") {
    Crowd room;
    room.send(post_to("a") + post_to("b") + post_to("c"));
    room.client.far.half_close();
    REQUIRE(room.until([&] {
        room.client.far.read();
        return room.client.far.ended();
    }));
    CHECK(times_in(room.client.far.received(), "HTTP/1.1 200") == 3);
    CHECK_FALSE(room.client.far.was_reset());
}

TEST_CASE("connection: a half closed peer gets all of a reply larger than the socket", "[server]") {
    Crowd room;
    room.client = room.connections.connect(8192, 8192);
    room.connections.answer = [](HttpConnection& connection, std::uint64_t slot,
                                 const HttpRequest&) {
        Response response;
        response.body = std::string(3'000'000, 'x');
        connection.respond(slot, response);
    };
    room.send(kGetHead);
    room.client.far.half_close();
    REQUIRE(room.until([&] { return room.connections.held > 2'000'000; }));
    run_ready(room.io);
    REQUIRE(room.until([&] {
        room.client.far.read();
        return room.client.far.ended();
    }));
    CHECK(room.client.far.received().size() > 3'000'000);
    CHECK_FALSE(room.client.far.was_reset());
    CHECK(room.gone());
}

TEST_CASE("connection: in a drain, no reply follows one that says it is the last", "[server]") {
    Crowd room;
    room.connections.goes_down = true;
    std::vector<std::uint64_t> slots;
    room.connections.answer = [&](HttpConnection&, std::uint64_t slot, const HttpRequest&) {
        slots.push_back(slot);
    };
    room.send(post_to("a") + post_to("b"));
    REQUIRE(room.until([&] { return !slots.empty(); }));
    run_ready(room.io);
    HttpConnection& connection = *room.connections.find(room.client.id);
    for (const std::uint64_t slot : slots)
        connection.respond(slot, Response{});
    connection.flush();
    REQUIRE(room.until([&] {
        room.client.far.read();
        return room.client.far.ended();
    }));
    const std::string& got = room.client.far.received();
    CHECK(times_in(got, "Connection: close") == 1);
    CHECK(got.find("HTTP/1.1 200", got.find("Connection: close")) == std::string::npos);
    CHECK(room.connections.bodies == std::vector<std::string>{"a"});
}

TEST_CASE("connection: a stream that begins at once goes on", "[server]") {
    Crowd room;
    room.connections.answer = [&](HttpConnection& connection, std::uint64_t slot,
                                  const HttpRequest&) {
        CHECK(connection.begin_stream(slot));
        connection.append_stream("event");
    };
    room.send("GET /v1/stream HTTP/1.1\r\n" + kHead + "\r\n");
    REQUIRE(room.until([&] { return room.client.far.read().ends_with("event"); }));
    run_ready(room.io);
    CHECK_FALSE(room.client.far.ended());
    CHECK(room.connections.find(room.client.id)->streaming());
}

TEST_CASE("connection: a body that waits for its turn among others is not late", "[server]") {
    using std::chrono::milliseconds;
    Crowd room;
    const std::string request = post_to(std::string(200'000, 'b'));
    const auto began = Clock::steady();
    room.send(std::string_view{request}.substr(0, 100'000));
    run_ready(room.io);
    int others = 3 * static_cast<int>(BulkTurns::kPerTurn);
    std::function<void()> another = [&] {
        for (const auto from = Clock::steady(); Clock::steady() - from < milliseconds{20};) {
        }
        if (--others > 0) room.connections.bulk().add(another);
    };
    room.connections.bulk().add(another);
    room.send(std::string_view{request}.substr(100'000, 50'000));
    REQUIRE(room.until([&] { return others == 0; }));
    HttpConnection& connection = *room.connections.find(room.client.id);
    const auto limit = room.connections.settings.body_timeout;
    connection.check_deadline(began + limit + milliseconds{20});
    room.send(std::string_view{request}.substr(150'000));
    REQUIRE(room.replies(1));
    CHECK_THAT(room.client.far.received(), Catch::StartsWith("HTTP/1.1 200"));
}

TEST_CASE("connection: each wait for the client has its time limit", "[server]") {
    using std::chrono::seconds;
    Crowd room;
    const auto after = [&](std::chrono::milliseconds time) {
        run_ready(room.io);
        room.connections.find(room.client.id)->check_deadline(Clock::steady() + time);
        run_ready(room.io);
        room.client.far.read();
    };
    const auto& settings = room.connections.settings;
    SECTION("nothing is asked") {
        after(settings.idle_timeout - seconds{1});
        CHECK_FALSE(room.client.far.ended());
        after(settings.idle_timeout + seconds{1});
        CHECK(room.client.far.ended());
        CHECK(room.client.far.received().empty());
    }
    SECTION("the reply is ours to wait for") {
        room.connections.answer = [](HttpConnection&, std::uint64_t, const HttpRequest&) {};
        room.send(kGetHead);
        after(std::chrono::hours{10});
        CHECK_FALSE(room.client.far.ended());
        room.send("GET ");  // but the next request has begun
        after(settings.header_timeout + seconds{1});
        run_ready(room.io);
        HttpConnection& connection = *room.connections.find(room.client.id);
        connection.respond(1, Response{});
        connection.flush();
        REQUIRE(room.replies(2));
        CHECK(times_in(room.client.far.received(), "HTTP/1.1 408") == 1);
    }
    SECTION("the reply is not read") {
        room.client = room.connections.connect(8192, 8192);
        room.connections.answer = [](HttpConnection& connection, std::uint64_t slot,
                                     const HttpRequest&) {
            Response response;
            response.body = std::string(3'000'000, 'x');
            connection.respond(slot, response);
        };
        room.send(kGetHead);
        after(settings.write_timeout - seconds{1});
        CHECK(room.connections.size() == 1);
        room.connections.find(room.client.id)
            ->check_deadline(Clock::steady() + settings.write_timeout + seconds{1});
        run_ready(room.io);
        CHECK(room.connections.size() == 0);
        CHECK(room.connections.held == 0);
    }
}

TEST_CASE("connection: a request behind a stream ends it cleanly, one behind a refusal is answered",
          "[server]") {
    const std::string stream = "GET /v1/stream HTTP/1.1\r\n" + kHead + "\r\n";
    Crowd room;
    std::uint64_t slot = 0;
    room.connections.answer = [&](HttpConnection& connection, std::uint64_t number,
                                  const HttpRequest& request) {
        if (request.target.endpoint->name == "streamAll") {
            slot = number;
        } else {
            connection.respond(number, Response{});
        }
    };
    const auto ended = [&] {
        return room.until([&] {
            room.client.far.read();
            return room.client.far.ended();
        });
    };
    SECTION("it came with the stream's") {
        room.send(stream + kGetHead);
        REQUIRE(room.until([&] { return slot != 0; }));
        run_ready(room.io);
        CHECK_FALSE(room.connections.find(room.client.id)->begin_stream(slot));
        REQUIRE(ended());
        CHECK(room.client.far.received().starts_with("HTTP/1.1 200"));
        CHECK_FALSE(room.client.far.was_reset());
        CHECK(room.connections.bodies.size() == 1);
    }
    SECTION("it came later") {
        room.send(stream);
        REQUIRE(room.until([&] { return slot != 0; }));
        REQUIRE(room.connections.find(room.client.id)->begin_stream(slot));
        room.send(post_to("stored?"));
        REQUIRE(ended());
        CHECK_FALSE(room.client.far.was_reset());
        CHECK(room.connections.bodies.size() == 1);
    }
    SECTION("the stream is refused") {
        room.send(stream + kGetHead + post_to("x"));
        REQUIRE(room.until([&] { return slot != 0; }));
        run_ready(room.io);
        HttpConnection& connection = *room.connections.find(room.client.id);
        connection.respond(slot, problem_response({ErrorCode::kUnknownSession, "", ""}, "/"));
        connection.flush();
        REQUIRE(room.replies(3));
        CHECK(room.client.far.received().starts_with("HTTP/1.1 404"));
    }
}

TEST_CASE("connection: a body is refused once all clients hold too much", "[server]") {
    Crowd room;
    room.connections.held_max = 100'000;
    room.client.far.send(kPostHead + "Content-Length: 1000000\r\n\r\n" + std::string(200'000, 'x'));
    REQUIRE(room.until([&] { return !room.connections.refused.empty(); }));
    CHECK(room.connections.refused.front() == ErrorCode::kOverloaded);
    CHECK(room.connections.bodies.empty());
    CHECK(room.connections.held < 20'000);
}

TEST_CASE("connection: a slow client gets a 408, wherever it stopped", "[server]") {
    for (const std::string& start :
         {std::string{"GET /livez HTTP/1.1\r\nHo"}, kPostHead + "Content-Length: 100\r\n\r\nabc",
          kPostHead + "Transfer-Encoding: chunked\r\n\r\n5\r\nhe"}) {
        Crowd room;
        room.client.far.send(start);
        run_ready(room.io);
        room.connections.find(room.client.id)
            ->check_deadline(Clock::steady() + std::chrono::hours{1});
        REQUIRE(room.until([&] {
            room.client.far.read();
            return room.client.far.ended();
        }));
        CHECK(room.client.far.received().starts_with("HTTP/1.1 408"));
        room.client.far.send("more of it");
        room.client.far.close();
        CHECK(room.gone());
    }
}

TEST_CASE("connection: a body that came too late counts as held until it is let go", "[server]") {
    for (const std::string& framing :
         {"Content-Length: 100000\r\n\r\n" + std::string(50'000, 'x'),
          "Transfer-Encoding: chunked\r\n\r\nffff\r\n" + std::string(50'000, 'x')}) {
        Crowd room;
        room.send(kPostHead + framing);
        run_ready(room.io);
        REQUIRE(room.connections.held >= 50'000);
        room.connections.find(room.client.id)
            ->check_deadline(Clock::steady() + std::chrono::hours{1});
        run_ready(room.io);
        CHECK(room.connections.held >= 50'000);  // its memory is still the target of a read
        room.send("x");
        CHECK(room.until([&] { return room.connections.held == 0; }));
        CHECK(room.connections.size() == 1);  // while the peer reads the refusal
        room.client.far.close();
        CHECK(room.gone());
    }
}

TEST_CASE("connection: an exception costs its request; a lack of memory, the daemon", "[server]") {
    Crowd room;
    room.connections.answer = [](HttpConnection&, std::uint64_t, const HttpRequest& request) {
        if (request.body == "memory") throw std::bad_alloc();
        throw std::runtime_error("a fault of ours");
    };
    room.send(post_to("other"));
    REQUIRE(room.replies(1));
    CHECK(room.client.far.received().starts_with("HTTP/1.1 500"));
    room.send(post_to("memory"));
    CHECK_THROWS_AS(room.replies(2), std::bad_alloc);
    room.connections.answer = nullptr;
}
