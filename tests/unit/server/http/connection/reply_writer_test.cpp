// SPDX-License-Identifier: Apache-2.0
#include "server/http/connection/reply_writer.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "core/base/limits.hpp"

// Without a socket: the test takes the bytes, in pieces of every size, and reads them as a client.

using namespace headway::server;
namespace limits = headway::core::limits;
using Asked = ReplyWriter::Asked;

namespace {

constexpr Clock::Steady::time_point kNow{std::chrono::seconds{5}};

Asked asked(std::string name = "r") {
    Asked built;
    built.request_id = std::move(name);
    built.path = "/" + built.request_id;
    built.at = kNow;
    return built;
}

Response response(std::string body, int status = 200, bool close = false) {
    Response built;
    built.status = status;
    built.body = std::move(body);
    built.close = close;
    return built;
}

/// The unsent bytes, without sending them.
std::string shown(const ReplyWriter& writer) {
    const auto [frame, text] = writer.unsent();
    return std::string{frame} + std::string{text};
}

/// Sends everything in pieces of at most `piece` bytes.
std::string sent(ReplyWriter& writer, std::size_t piece = SIZE_MAX) {
    std::string out;
    while (!writer.empty()) {
        const std::string next = shown(writer).substr(0, piece);
        REQUIRE_FALSE(next.empty());
        out += next;
        writer.sent(next.size());
    }
    return out;
}

std::size_t occurrences(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++found;
    return found;
}

/// The bodies of replies with a Content-Length, as a client cuts them out of the bytes.
std::vector<std::string> bodies(const std::string& wire) {
    std::vector<std::string> found;
    std::size_t at = 0;
    while (at < wire.size()) {
        REQUIRE(wire.compare(at, 9, "HTTP/1.1 ") == 0);
        const std::size_t end = wire.find("\r\n\r\n", at);
        const std::size_t length = wire.find("Content-Length: ", at);
        REQUIRE(length < end);
        const std::size_t size = std::stoul(wire.substr(length + 16));
        found.push_back(wire.substr(end + 4, size));
        at = end + 4 + size;
    }
    return found;
}

Frame frame(std::string text) {
    return std::make_shared<const std::string>(std::move(text));
}

}  // namespace

TEST_CASE("reply writer: replies leave in the order of the requests, in whatever order they come",
          "[server]") {
    std::vector<std::size_t> order{0, 1, 2, 3, 4};
    do {
        ReplyWriter writer;
        std::vector<std::uint64_t> numbers;
        for (int i = 0; i < 5; ++i)
            numbers.push_back(writer.open(asked(std::to_string(i))));
        std::size_t out = 0;
        std::string wire;
        for (std::size_t done = 0; done < order.size(); ++done) {
            writer.respond(numbers[order[done]], response("body " + std::to_string(order[done])),
                           kNow);
            wire += sent(writer);
            out = 0;  // those that no missing one holds up
            while (std::count(order.begin(), order.begin() + static_cast<long>(done) + 1, out) > 0)
                ++out;
            CHECK(occurrences(wire, "HTTP/1.1 ") == out);
        }
        CHECK(bodies(wire) ==
              std::vector<std::string>{"body 0", "body 1", "body 2", "body 3", "body 4"});
        CHECK(writer.held() == 0);
        CHECK_FALSE(writer.owes());
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("reply writer: the socket may take any part of it", "[server]") {
    std::string whole;
    for (std::size_t piece = SIZE_MAX; piece != 0; piece = piece == SIZE_MAX ? 400 : piece - 1) {
        ReplyWriter writer;
        const auto first = writer.open(asked());
        const auto second = writer.open(asked());
        writer.respond(second, response("second"), kNow);
        writer.respond(first, response(std::string(50, 'x')), kNow);
        const std::string wire = sent(writer, piece);
        if (whole.empty()) whole = wire;
        CHECK(wire == whole);
    }
    CHECK(bodies(whole) == std::vector<std::string>{std::string(50, 'x'), "second"});
}

TEST_CASE("reply writer: a reply comes while an older one is sent in part, at every split",
          "[server]") {
    for (std::size_t split = 0; split <= 250; ++split) {
        ReplyWriter writer;
        writer.respond(writer.open(asked()), response("one"), kNow);
        std::string wire = shown(writer).substr(0, split);
        writer.sent(wire.size());
        writer.respond(writer.open(asked()), response("two"), kNow);
        wire += sent(writer, 7);
        CHECK(bodies(wire) == std::vector<std::string>{"one", "two"});
    }
}

TEST_CASE("reply writer: an unknown number and a second reply change nothing", "[server]") {
    ReplyWriter writer;
    const auto first = writer.open(asked());
    const auto second = writer.open(asked());
    writer.respond(77, response("x"), kNow);
    writer.respond(second, response("two"), kNow);
    writer.respond(second, response("again"), kNow);
    writer.respond(first, response("one"), kNow);
    writer.respond(first, response("again"), kNow);
    CHECK(bodies(sent(writer)) == std::vector<std::string>{"one", "two"});
}

TEST_CASE("reply writer: the path of a request is known until it is answered", "[server]") {
    ReplyWriter writer;
    const auto first = writer.open(asked("a"));
    const auto second = writer.open(asked("b"));
    CHECK(writer.path(first) == "/a");
    CHECK(writer.path(second) == "/b");
    writer.respond(second, response("x"), kNow);
    CHECK(writer.path(first) == "/a");
    CHECK(writer.path(second).empty());
    CHECK(writer.path(99).empty());
}

TEST_CASE("reply writer: the last reply says that it is, and only that", "[server]") {
    ReplyWriter writer;
    const auto first = writer.open(asked());
    Asked last = asked();
    last.keep_alive = false;
    const auto second = writer.open(std::move(last));
    CHECK_FALSE(writer.accepts());
    CHECK(writer.ending());
    SECTION("in order") {
        writer.respond(first, response("one"), kNow);
        CHECK(occurrences(sent(writer), "Connection: close") == 0);
        CHECK_FALSE(writer.finished());
        writer.respond(second, response("two"), kNow);
        CHECK(occurrences(shown(writer), "\r\nConnection: close\r\n") == 1);
    }
    SECTION("the last comes first") {
        writer.respond(second, response("two"), kNow);
        CHECK(writer.empty());
        CHECK(writer.held() > 0);
        writer.respond(first, response("one"), kNow);
        const std::string wire = shown(writer);
        CHECK(bodies(wire) == std::vector<std::string>{"one", "two"});
        CHECK(wire.find("Connection: close") > wire.find("one"));
        CHECK(occurrences(wire, "Connection: close") == 1);
    }
    CHECK_FALSE(writer.finished());
    sent(writer);
    CHECK(writer.finished());
}

TEST_CASE("reply writer: a reply that closes takes no later one away", "[server]") {
    ReplyWriter writer;
    const auto first = writer.open(asked());
    const auto second = writer.open(asked());
    writer.respond(first, response("one", 400, true), kNow);
    CHECK_FALSE(writer.accepts());
    CHECK(occurrences(sent(writer), "Connection: close") == 0);
    CHECK_FALSE(writer.finished());
    writer.respond(second, response("two"), kNow);
    CHECK(occurrences(sent(writer), "Connection: close") == 1);
    CHECK(writer.finished());
}

TEST_CASE("reply writer: with no more requests the pending reply is the last", "[server]") {
    ReplyWriter writer;
    const auto first = writer.open(asked());
    writer.expect_no_more();
    CHECK_FALSE(writer.finished());
    writer.respond(first, response("one"), kNow);
    CHECK(occurrences(sent(writer), "Connection: close") == 1);
    CHECK(writer.finished());
}

TEST_CASE("reply writer: HEAD has the header of GET and no body", "[server]") {
    ReplyWriter writer;
    Asked head = asked();
    head.head_only = true;
    writer.respond(writer.open(std::move(head)), response("12345"), kNow);
    writer.respond(writer.open(asked()), response("next"), kNow);
    const std::string wire = sent(writer);
    CHECK(occurrences(wire, "Content-Length: 5\r\n") == 1);
    CHECK(occurrences(wire, "12345") == 0);
    CHECK(wire.find("\r\n\r\nHTTP/1.1 200") != std::string::npos);
    CHECK(wire.ends_with("next"));
}

TEST_CASE("reply writer: 204 and 304 have neither a body nor a length", "[server]") {
    for (const int status : {204, 304}) {
        ReplyWriter writer;
        writer.respond(writer.open(asked()), response("must not be sent", status), kNow);
        const std::string wire = sent(writer);
        CHECK(occurrences(wire, "\nContent-Length") == 0);
        CHECK(occurrences(wire, "\nContent-Type") == 0);
        CHECK(wire.ends_with("\r\n\r\n"));
    }
}

TEST_CASE("reply writer: keep-alive is confirmed to HTTP/1.0 alone", "[server]") {
    for (const bool old : {false, true}) {
        ReplyWriter writer;
        Asked request = asked();
        request.http_1_0 = old;
        writer.respond(writer.open(std::move(request)), response("x"), kNow);
        CHECK(occurrences(sent(writer), "\r\nConnection: keep-alive\r\n") == (old ? 1 : 0));
        Asked last = asked();
        last.http_1_0 = old;
        last.keep_alive = false;
        writer.respond(writer.open(std::move(last)), response("x"), kNow);
        CHECK(occurrences(shown(writer), "Connection: keep-alive") == 0);
        CHECK(occurrences(sent(writer), "\r\nConnection: close\r\n") == 1);
    }
}

TEST_CASE("reply writer: the time of a reply and the id of its request are in it", "[server]") {
    ReplyWriter writer;
    const auto first = writer.open(asked("id-1"));
    const auto second = writer.open(asked("id-2"));
    writer.respond(second, response("x"), kNow + std::chrono::microseconds{1'234});
    writer.respond(first, response("x"), kNow + std::chrono::microseconds{56});
    const std::string wire = sent(writer);
    const std::size_t next = wire.rfind("HTTP/1.1");
    CHECK(occurrences(wire.substr(0, next),
                      "X-Request-Id: id-1\r\nServer-Timing: app;dur=0.056\r\n"));
    CHECK(occurrences(wire.substr(next), "X-Request-Id: id-2\r\nServer-Timing: app;dur=1.234\r\n"));
}

TEST_CASE("reply writer: 100 Continue comes once, behind older replies and never behind its own",
          "[server]") {
    const std::string say = "HTTP/1.1 100 Continue\r\n\r\n";
    ReplyWriter writer;
    SECTION("nothing is owed") {
        writer.expect_body();
        CHECK(sent(writer) == say);
        writer.respond(writer.open(asked()), response("x"), kNow);
        CHECK(occurrences(sent(writer), "100 Continue") == 0);
    }
    SECTION("older replies are owed") {
        const auto first = writer.open(asked());
        writer.expect_body();
        CHECK(writer.empty());
        writer.respond(first, response("x"), kNow);
        CHECK(sent(writer).ends_with("\r\n\r\nx" + say));
    }
    SECTION("the body came before them") {
        const auto first = writer.open(asked());
        writer.expect_body();
        const auto second = writer.open(asked());
        writer.respond(first, response("x"), kNow);
        writer.respond(second, response("y"), kNow);
        CHECK(occurrences(sent(writer), "100 Continue") == 0);
    }
    SECTION("an older reply is the last") {
        const auto first = writer.open(asked());
        writer.expect_no_more();
        writer.expect_body();
        writer.respond(first, response("x"), kNow);
        CHECK(occurrences(sent(writer), "100 Continue") == 0);
    }
}

TEST_CASE("reply writer: requests and bytes that wait are bounded", "[server]") {
    ReplyWriter writer;
    SECTION("requests") {
        std::vector<std::uint64_t> numbers;
        while (writer.accepts())
            numbers.push_back(writer.open(asked()));
        CHECK(numbers.size() == limits::kPipelinedMax);
        writer.respond(numbers.back(), response("x"), kNow);  // waits for the others
        CHECK_FALSE(writer.accepts());
        writer.respond(numbers.front(), response("x"), kNow);
        CHECK(writer.accepts());
    }
    SECTION("bytes to send") {
        writer.respond(writer.open(asked()),
                       response(std::string(limits::kWriteBufferBytesMax, 'x')), kNow);
        CHECK(writer.full());
        CHECK(writer.held() >= limits::kWriteBufferBytesMax);
        sent(writer, 1'000'000);
        CHECK_FALSE(writer.full());
        CHECK(writer.held() == 0);
    }
    SECTION("bytes of early replies count as held") {
        const auto first = writer.open(asked());
        writer.respond(writer.open(asked()), response(std::string(100'000, 'x')), kNow);
        CHECK(writer.held() >= 100'000);
        writer.respond(first, response("x"), kNow);
        CHECK(writer.held() >= 100'000);
        sent(writer);
        CHECK(writer.held() == 0);
    }
}

TEST_CASE("reply writer: a stream is the reply of the only request", "[server]") {
    ReplyWriter writer;
    const auto older = writer.open(asked());
    Asked request = asked("s");
    request.stream = true;
    const auto number = writer.open(std::move(request));
    CHECK_FALSE(writer.accepts());
    CHECK_FALSE(writer.begin_stream(number));  // an older reply is missing
    writer.respond(older, response("x"), kNow);
    sent(writer);
    CHECK_FALSE(writer.begin_stream(99));
    SECTION("it begins") {
        REQUIRE(writer.begin_stream(number));
        CHECK(writer.streaming());
        CHECK_FALSE(writer.begin_stream(number));
        CHECK_FALSE(writer.accepts());
        const std::string header = sent(writer);
        CHECK(occurrences(header, "Content-Type: text/event-stream\r\n") == 1);
        CHECK(occurrences(header, "X-Request-Id: s\r\n") == 1);
        CHECK(occurrences(header, "Connection: close\r\n") == 1);
        CHECK_FALSE(writer.finished());
        writer.append("last words");
        writer.end_stream();
        CHECK_FALSE(writer.finished());
        CHECK(sent(writer) == "last words");
        CHECK(writer.finished());
    }
    SECTION("it is refused, and requests follow") {
        writer.respond(number, response("x", 404), kNow);
        CHECK(writer.accepts());
        CHECK_FALSE(writer.begin_stream(number));
    }
}

TEST_CASE("reply writer: a client of HTTP/1.0 gets no reply in chunks", "[server]") {
    for (const bool old : {true, false}) {
        ReplyWriter writer;
        Asked request = asked();
        request.http_1_0 = old;
        const std::uint64_t number = writer.open(std::move(request));
        CHECK(writer.begin_stream(number, StreamBody::kHeld) == !old);
        if (old) CHECK(writer.begin_stream(number, StreamBody::kEvents));
    }
}

TEST_CASE("reply writer: frames may be taken up to any byte, and what waits follows them",
          "[server]") {
    const std::vector<Frame> frames{frame("first"), frame(""), frame("second"), frame("third")};
    const std::string whole = "firstsecondthird";
    for (std::size_t split = 0; split <= whole.size(); ++split) {
        for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, SIZE_MAX}) {
            ReplyWriter writer;
            REQUIRE(writer.begin_stream(writer.open(asked())));
            sent(writer);
            const std::size_t taken = writer.sent_frames(frames, split);
            std::string wire = whole.substr(0, split);
            CHECK(writer.empty() == (split == whole.size()));
            CHECK(writer.held() == 0);  // a frame is shared
            if (!writer.empty()) CHECK(writer.frame_bytes() == frames[taken - 1]->size());
            writer.append("!");
            wire += sent(writer, piece);
            std::string expected;
            for (std::size_t i = 0; i < taken; ++i)
                expected += *frames[i];
            CHECK(wire == expected + "!");
            CHECK(frames[3].use_count() == 1);
        }
    }
}

TEST_CASE("reply writer: what a peer left behind is let go", "[server]") {
    ReplyWriter writer;
    const Frame shared = frame("frame");
    REQUIRE(writer.begin_stream(writer.open(asked())));
    sent(writer);
    const std::vector<Frame> frames{shared};
    CHECK(writer.sent_frames(frames, 2) == 1);
    writer.append(std::string(100'000, 'x'));
    CHECK(shared.use_count() == 3);
    writer.clear();
    CHECK(shared.use_count() == 2);
    CHECK(writer.held() == 0);
    CHECK(writer.frame_bytes() == 0);
    CHECK(writer.empty());
    CHECK(writer.streaming());
    CHECK_FALSE(writer.accepts());
}

TEST_CASE("reply writer: the buffer of a long reply is not kept", "[server]") {
    ReplyWriter writer;
    for (int i = 0; i < 3; ++i) {
        writer.respond(writer.open(asked()), response(std::string(1'000'000, 'x')), kNow);
        sent(writer, 10'000);
        CHECK(writer.held() == 0);
        writer.respond(writer.open(asked()), response("short"), kNow);
        CHECK(writer.held() < 20'000);
        sent(writer);
    }
}
