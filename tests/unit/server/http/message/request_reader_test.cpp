// SPDX-License-Identifier: Apache-2.0
#include "server/http/message/request_reader.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "tests/support/gzip.hpp"
#include "tests/support/names.hpp"
#include "tests/support/read_requests.hpp"

// Without a socket. malformed_requests_test.cpp has the table of what is wrong.

using namespace headway::server;
using namespace headway::tests;
using headway::core::ErrorCode;
namespace limits = headway::core::limits;

namespace {

const std::string kHostLine = "Host: localhost:7717\r\n";
const std::string kGetRequest = "GET /livez HTTP/1.1\r\n" + kHostLine + "\r\n";
const std::string kPostStart =
    "POST /v1/sessions/s/events HTTP/1.1\r\n" + kHostLine + "Content-Type: application/json\r\n";

std::string post(const std::string& body, const std::string& fields = {}) {
    return kPostStart + fields + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           body;
}

std::string packed_post(const std::string& body) {
    return post(gzip(body), "Content-Encoding: gzip\r\n");
}

std::string chunked(const std::string& body, std::size_t piece, const std::string& fields = {}) {
    std::string wire = kPostStart + fields + "Transfer-Encoding: chunked\r\n\r\n";
    char size[20];
    for (std::size_t at = 0; at < body.size(); at += piece) {
        const std::string part = body.substr(at, piece);
        std::snprintf(size, sizeof size, "%zx\r\n", part.size());
        wire += size + part + "\r\n";
    }
    return wire + "0\r\n\r\n";
}

std::string noise(std::size_t size) {
    std::string text(size, ' ');
    std::uint32_t random = 1;
    for (char& c : text)
        c = static_cast<char>((random = random * 1'664'525 + 1'013'904'223) >> 24);
    return text;
}

std::vector<std::string> bodies(const ReaderFeed& feed) {
    std::vector<std::string> found;
    for (const Heard& one : feed.heard)
        found.push_back(one.body);
    return found;
}

/// Gives it all of `bytes` at once, which must fit.
void give(RequestReader& reader, std::string_view bytes) {
    const std::span<char> room = reader.room();
    REQUIRE(bytes.size() <= room.size());
    std::copy(bytes.begin(), bytes.end(), room.begin());
    reader.received(bytes.size());
}

}  // namespace

TEST_CASE("request reader: pipelined requests of every kind, cut at every byte", "[server]") {
    const std::string wire = post("one") + kGetRequest + chunked("two two", 3) +
                             packed_post("three") +
                             chunked(gzip("four"), 5, "Content-Encoding: gzip\r\n") +
                             "HEAD /livez HTTP/1.1\r\n" + kHostLine + "\r\n" + post("");
    const std::vector<std::string> expected{"one", "", "two two", "three", "four", "", ""};
    for (std::size_t first = 0; first <= wire.size(); ++first) {
        ReaderFeed feed;
        feed.feed(std::string_view{wire}.substr(0, first));
        feed.feed(std::string_view{wire}.substr(first));
        REQUIRE(bodies(feed) == expected);
        CHECK(feed.reader.idle());
        CHECK(feed.reader.held() == 0);
    }
    for (std::size_t piece = 1; piece < 300; ++piece) {
        ReaderFeed feed;
        feed.feed(wire, piece);
        REQUIRE(bodies(feed) == expected);
    }
}

TEST_CASE("request reader: a body in the buffer is used where it lies", "[server]") {
    ReaderFeed feed;
    RequestReader& reader = feed.reader;
    const std::span<char> room = reader.room();
    const std::string wire = post("the body");
    std::copy(wire.begin(), wire.end(), room.begin());
    reader.received(wire.size());
    REQUIRE((reader.next(feed.gate) == RequestReader::Step::kRequest));
    CHECK(reader.body().data() == room.data() + wire.size() - 8);
    CHECK(reader.held() == 0);
    CHECK(reader.holds_one());
    CHECK_FALSE(reader.ready());
    CHECK_FALSE(reader.idle());
    reader.done();
    CHECK(reader.idle());
    CHECK(reader.room().data() == room.data());
}

TEST_CASE("request reader: a long body leaves the next request whole", "[server]") {
    const std::string body(900'000, 'x');
    for (const std::size_t piece : {1U, 1000U, 60'000U, 900'000U}) {
        for (const std::string& first :
             {chunked(body, std::max<std::size_t>(piece, 1000)), post(body)}) {
            ReaderFeed feed;
            feed.feed(first + kGetRequest + post("y"), piece);
            CHECK((bodies(feed) == std::vector<std::string>{body, "", "y"}));
            CHECK(feed.reader.held() == 0);
        }
    }
}

TEST_CASE("request reader: memory grows with the bytes of a body and not with what it announces",
          "[server]") {
    ReaderFeed feed;
    feed.feed(kPostStart + "Content-Length: 1048576\r\n\r\n");
    CHECK(feed.reader.in_body());
    CHECK(feed.reader.held() == 0);
    feed.feed(std::string(10'000, 'x'));
    CHECK(feed.reader.body_bytes() == 10'000);
    CHECK(feed.reader.held() >= 10'000);
    CHECK(feed.reader.held() < 50'000);
}

TEST_CASE("request reader: heads up to the limit, in pieces of every size", "[server]") {
    const std::string start = "GET /livez HTTP/1.1\r\n" + kHostLine + "X: ";
    for (const std::size_t extra : {std::size_t{0}, std::size_t{1}}) {
        const std::size_t filler = limits::kHeaderBytesMax - start.size() - 4 + extra;
        const std::string wire = start + std::string(filler, 'a') + "\r\n\r\n" + kGetRequest;
        for (const std::size_t piece : {1U, 2U, 3U, 4095U, 4096U, 4097U, 8191U, 20'000U}) {
            ReaderFeed feed;
            feed.feed(wire, piece);
            const std::vector<int> expected = extra == 0 ? std::vector{0, 0} : std::vector{431};
            CHECK(feed.statuses() == expected);
        }
    }
}

// The parser begins again each time, so it must not be asked for each byte.
TEST_CASE("request reader: the work for a head is linear in it, also byte by byte", "[server]") {
    using Clock = std::chrono::steady_clock;
    const std::string start = "GET /livez HTTP/1.1\r\n" + kHostLine + "X: ";
    const auto time_of = [&](std::size_t bytes) {
        const std::string wire = start + std::string(bytes, 'a') + "\r\n\r\n";
        auto least = Clock::duration::max();
        for (int i = 0; i < 20; ++i) {
            ReaderFeed feed;
            const auto begin = Clock::now();
            feed.feed(wire, 1);
            least = std::min(least, Clock::now() - begin);
            REQUIRE(feed.statuses() == std::vector{0});
        }
        return least;
    };
    CHECK(time_of(8000) < 25 * time_of(800));  // 10 times, if linear; 100, if not
}

TEST_CASE("request reader: a bad line is refused when it comes, not when the head ends",
          "[server]") {
    ReaderFeed feed;
    feed.feed("GET /livez HTTP/1.1\r\nHost: localhost:7717\r\nX-Long: " + std::string(150, 'x') +
              "\r\n");
    CHECK(feed.heard.empty());
    feed.feed("bad header line\r\n");
    CHECK(feed.statuses() == std::vector<int>{400});
    ReaderFeed typed;  // by a person, without carriage returns
    typed.feed("GET /livez HTTP/1.1\n");
    typed.feed("Host: localhost:7717\n");
    CHECK(typed.statuses() == std::vector<int>{400});
}

TEST_CASE("request reader: 100 Continue is due once, if the client waits for it", "[server]") {
    const std::string expects = "Expect: 100-continue\r\n";
    ReaderFeed feed;
    int expected = 0;
    SECTION("it waits") {
        feed.feed(kPostStart + expects + "Content-Length: 2\r\n\r\n");
        CHECK(feed.continues == 1);
        feed.feed("a");
        feed.feed("b");
        expected = 1;
        CHECK(bodies(feed) == std::vector<std::string>{"ab"});
    }
    SECTION("it waits with chunks, byte by byte") {
        feed.feed(chunked("ab", 1, expects), 1);
        expected = 1;
        CHECK(bodies(feed) == std::vector<std::string>{"ab"});
    }
    SECTION("the body came with the head") {
        feed.feed(post("ab", expects));
    }
    SECTION("some of the body came with the head") {
        feed.feed(kPostStart + expects + "Content-Length: 2\r\n\r\na");
    }
    SECTION("there is no body") {
        feed.feed(post("", expects));
    }
    SECTION("HTTP/1.0 does not know it") {
        std::string old = kPostStart + expects + "Content-Length: 2\r\n\r\n";
        old.replace(old.find("HTTP/1.1"), 8, "HTTP/1.0");
        feed.feed(old);
    }
    SECTION("the body is refused") {
        feed.feed(kPostStart + expects + "Content-Length: 99999999\r\n\r\n");
        CHECK(feed.statuses() == std::vector{413});
    }
    CHECK(feed.continues == expected);
}

TEST_CASE("request reader: a compressed body waits for its turn, and nothing is read meanwhile",
          "[server]") {
    ReaderFeed feed;
    RequestReader& reader = feed.reader;
    const std::string body(limits::kBodyAtOnceBytesMax, 'z');
    give(reader, packed_post(body) + post("next"));
    REQUIRE((reader.next(feed.gate) == RequestReader::Step::kPacked));
    CHECK(reader.packed());
    CHECK_FALSE(reader.ready());
    REQUIRE((reader.inflate() == RequestReader::Step::kRequest));
    CHECK((reader.body() == body));
    reader.done();
    REQUIRE((reader.next(feed.gate) == RequestReader::Step::kRequest));
    CHECK(reader.body() == "next");
}

TEST_CASE("request reader: a compressed body is bounded before and after it is inflated",
          "[server]") {
    const std::string bomb = gzip(std::string(50'000'000, '\0'));
    const std::string at_once(limits::kBodyAtOnceBytesMax, 'x');
    const std::string member = gzip("{}");
    struct Case {
        const char* name;
        std::string packed;
        int status;
    };
    const Case cases[] = {
        {"a bomb", bomb, 0},  // passed on as it is, as all above what is read at once
        {"what is read at once", gzip(at_once), 0},
        {"a byte above it", gzip(at_once + "x"), 0},
        {"no gzip", "{}", 400},
        {"without its start", member.substr(3), 400},
        {"without its end", member.substr(0, member.size() - 1), 400},
        {"something behind it", member + "x", 400},
        {"two members", member + member, 0},
        {"half of a second member", member + member.substr(0, member.size() / 2), 400},
        {"a damaged sum",
         member.substr(0, member.size() - 5) + "\xff" + member.substr(member.size() - 4), 400},
    };
    for (const Case& c : cases) {
        INFO(c.name);
        for (const std::string& wire : {post(c.packed, "Content-Encoding: gzip\r\n"),
                                        chunked(c.packed, 1000, "Content-Encoding: gzip\r\n")}) {
            for (const std::size_t piece : {std::size_t{1}, std::size_t{777}, SIZE_MAX}) {
                ReaderFeed feed;
                feed.feed(wire + kGetRequest, piece);
                REQUIRE_FALSE(feed.heard.empty());
                CHECK(feed.heard.front().status == c.status);
                CHECK(feed.heard.front().last == (c.status != 0));
                CHECK(feed.heard.front().body.size() <= at_once.size());
                CHECK(feed.held_max < 2 * c.packed.size() + 50'000);
                CHECK(feed.reader.held() == 0);
            }
        }
    }
}

TEST_CASE("request reader: a body without end is refused at its bound", "[server]") {
    for (const auto& [chunk, most] :
         {std::pair<std::string, std::size_t>{"ffff\r\n" + std::string(0xffff, 'x') + "\r\n",
                                              limits::kReportBodyBytesMax + 70'000},
          {"1\r\nx\r\n", 2 * limits::kReportBodyBytesMax + 10}}) {
        ReaderFeed feed;
        feed.feed(kPostStart + "Transfer-Encoding: chunked\r\n\r\n");
        std::size_t fed = 0;
        while (feed.heard.empty() && fed < 4 * limits::kReportBodyBytesMax) {
            feed.feed(chunk);
            fed += chunk.size();
        }
        CHECK(feed.statuses() == std::vector{413});
        CHECK(fed <= most);
        CHECK(feed.held_max < 3 * limits::kReportBodyBytesMax);
        CHECK(feed.reader.held() == 0);
    }
}

TEST_CASE("request reader: what is given up while its space is lent stays until that is returned",
          "[server]") {
    for (const std::string& framing :
         {std::string{"Content-Length: 100000\r\n\r\n"} + noise(50'000),
          "Transfer-Encoding: chunked\r\n\r\nffff\r\n" + noise(50'000)}) {
        ReaderFeed feed;
        RequestReader& reader = feed.reader;
        feed.feed(kPostStart + framing);
        REQUIRE(reader.held() >= 50'000);
        const std::span<char> room = reader.room();
        REQUIRE((reader.refuse({ErrorCode::kRequestTimeout, "late", {}}) ==
                 RequestReader::Step::kRefused));
        REQUIRE(reader.head() != nullptr);
        CHECK(reader.head()->target == "/v1/sessions/s/events");
        feed.note(RequestReader::Step::kRefused);
        CHECK(feed.heard.back().status == 408);
        CHECK(feed.heard.back().last);
        CHECK(reader.held() >= 50'000);
        std::fill(room.begin(), room.end(), 'x');  // the socket still writes there
        reader.received(room.size());
        CHECK(reader.held() == 0);
        CHECK_FALSE(reader.ready());
        give(reader, "more");
        CHECK(reader.end());
        CHECK_FALSE(reader.end());
    }
}

TEST_CASE("request reader: a head is given up while its space is lent", "[server]") {
    for (const std::string start : {"", "G", "GET /livez HTTP/1.1\r\nHost: a"}) {
        ReaderFeed feed;
        RequestReader& reader = feed.reader;
        feed.feed(start);
        const std::span<char> room = reader.room();
        REQUIRE((reader.refuse({ErrorCode::kRequestTimeout, "late", {}}) ==
                 RequestReader::Step::kRefused));
        CHECK(reader.head() == nullptr);
        reader.done();
        room[0] = '\n';
        reader.received(1);
        CHECK_FALSE(reader.end());  // only what came since, which is an empty line
    }
}

TEST_CASE("request reader: its end says whether another request had begun", "[server]") {
    struct Case {
        const char* name;
        std::string bytes;
        bool more;
    };
    const Case cases[] = {
        {"nothing", "", false},
        {"empty lines", "\r\n\r\n", false},
        {"a letter", "G", true},
        {"a request", kGetRequest, true},
        {"a body", kPostStart + "Content-Length: 5\r\n\r\nab", true},
    };
    for (const Case& c : cases) {
        INFO(c.name);
        SECTION(std::string{"while nothing is in use: "} + c.name) {
            ReaderFeed feed;
            give(feed.reader, kGetRequest + c.bytes);
            REQUIRE((feed.reader.next(feed.gate) == RequestReader::Step::kRequest));
            feed.reader.done();
            if (c.bytes.ends_with("ab")) (void)feed.reader.next(feed.gate);
            CHECK(feed.reader.end() == c.more);
            CHECK_FALSE(feed.reader.ready());
            CHECK(feed.reader.held() == 0);
        }
        SECTION(std::string{"while one is in use: "} + c.name) {
            ReaderFeed feed;
            give(feed.reader, kGetRequest + c.bytes);
            REQUIRE((feed.reader.next(feed.gate) == RequestReader::Step::kRequest));
            CHECK(feed.reader.end() == c.more);
            CHECK(feed.reader.head()->target == "/livez");  // still in use
            CHECK(feed.reader.last());
            feed.reader.done();
            CHECK_FALSE(feed.reader.ready());
            CHECK_FALSE(feed.reader.holds_one());
            CHECK_FALSE(feed.reader.end());
        }
    }
}

TEST_CASE("request reader: the end frees a packed body, and a body behind chunks is seen",
          "[server]") {
    ReaderFeed feed;
    SECTION("packed") {
        const std::string packed = gzip(noise(40'000));
        const std::string wire = post(packed, "Content-Encoding: gzip\r\n");
        feed.feed(std::string_view{wire}.substr(0, wire.size() - 1));
        const std::span<char> room = feed.reader.room();
        room[0] = wire.back();
        feed.reader.received(1);
        REQUIRE((feed.reader.next(feed.gate) == RequestReader::Step::kPacked));
        CHECK(feed.reader.held() >= packed.size());
        CHECK(feed.reader.end());
        CHECK(feed.reader.held() == 0);
        CHECK_FALSE(feed.reader.packed());
    }
    SECTION("behind chunks") {
        const std::string wire = chunked("abc", 3);
        feed.feed(wire.substr(0, wire.size() - 4));
        give(feed.reader, wire.substr(wire.size() - 4) + "GET");
        REQUIRE((feed.reader.next(feed.gate) == RequestReader::Step::kRequest));
        CHECK(feed.reader.body() == "abc");
        CHECK(feed.reader.end());
    }
}

TEST_CASE("request reader: what a client may do depends on the gate of its listener", "[server]") {
    ReaderFeed feed;
    feed.gate.refuse_forwarded = true;
    feed.feed("GET /livez HTTP/1.1\r\n" + kHostLine + "X-Real-IP: ::1\r\n\r\n" + kGetRequest);
    CHECK(feed.statuses() == std::vector{403, 0});
}

TEST_CASE("request reader: a refusal names its request if it could be read", "[server]") {
    ReaderFeed feed;
    feed.feed("GET /nowhere?a=b HTTP/1.1\r\n" + kHostLine + "\r\n" + kGetRequest +
              "nonsense\r\n\r\n");
    REQUIRE(feed.heard.size() == 3);
    CHECK(feed.heard[0].path == "/nowhere?a=b");
    CHECK(feed.heard[0].status == 404);
    CHECK(feed.heard[1].status == 0);
    CHECK(feed.heard[2].path.empty());
    CHECK(feed.heard[2].status == 400);
    CHECK(feed.heard[2].last);
}
