// SPDX-License-Identifier: Apache-2.0
#include "hook/text/reply_parser.hpp"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

using namespace headway::hook;
using State = ReplyParser::State;

namespace {

const std::string kHead = "HTTP/1.1 200 OK\r\nServer: x\r\n";

/// Each reply that is whole without an end of the connection, with its body.
const std::vector<std::pair<std::string, std::string>>& whole_replies() {
    static const std::vector<std::pair<std::string, std::string>> all{
        {kHead + "Content-Length: 2\r\n\r\n{}", "{}"},
        {kHead + "content-LENGTH:   2  \r\n\r\n{}", "{}"},
        {kHead + "Content-Length: 0\r\n\r\n", ""},
        {kHead + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "{}"},
        {kHead + "Content-Length: 6\r\n\r\n \t\r\n{}", "{}"},
        {kHead + "Transfer-Encoding: Chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n", "{}"},
        {kHead + "Transfer-Encoding: chunked\r\n\r\n1\r\n \r\n1\r\n \r\n9;x=y\r\n {\"a\": "
                 "1}\r\n0\r\nT: x\r\n\r\n",
         "{\"a\": 1}"},
        {"HTTP/1.1 100 Continue\r\nContent-Length: 9\r\n\r\nHTTP/1.1 200\nContent-Length: 2\n\n{}",
         "{}"}};
    return all;
}

State feed_all(ReplyParser& parser, std::string_view bytes, std::size_t step) {
    for (std::size_t at = 0; at < bytes.size(); at += step)
        parser.feed(bytes.substr(at, step));
    return parser.state();
}

}  // namespace

TEST_CASE("reply parser: a reply is the same in pieces of any size", "[hook]") {
    for (const auto& [reply, body] : whole_replies()) {
        for (std::size_t step = 1; step <= reply.size(); ++step) {
            INFO(reply << " in steps of " << step);
            ReplyParser parser;
            CHECK(feed_all(parser, reply, step) == State::kWhole);
            CHECK(parser.body() == body);
            CHECK(parser.status() == 200);
        }
    }
}

TEST_CASE("reply parser: no prefix of a reply is whole, and its end there is a break", "[hook]") {
    for (const auto& [reply, body] : whole_replies()) {
        for (std::size_t size = 0; size < reply.size(); ++size) {
            INFO(reply.substr(0, size));
            ReplyParser parser;
            CHECK(parser.feed(std::string_view{reply}.substr(0, size)) == State::kMore);
            CHECK(parser.end() == State::kBroken);
        }
    }
}

TEST_CASE("reply parser: without a length the reply ends with its connection", "[hook]") {
    ReplyParser parser;
    CHECK(parser.feed(kHead + "\r\n   {}") == State::kMore);
    CHECK(parser.end() == State::kWhole);
    CHECK(parser.body() == "{}");
}

TEST_CASE("reply parser: what is behind a whole reply is ignored", "[hook]") {
    ReplyParser parser;
    CHECK(parser.feed(kHead + "Content-Length: 2\r\n\r\n{}HTTP/1.1 500 X") == State::kWhole);
    CHECK(parser.body() == "{}");
    CHECK(parser.end() == State::kWhole);
}

TEST_CASE("reply parser: other statuses and what is no reply break it", "[hook]") {
    for (const char* line :
         {"HTTP/1.1 404 Not Found", "HTTP/1.1 500", "HTTP/1.1 204 No Content", "HTTP/1.1 101 Up",
          "HTTP/2 200", "HTTP/1.1 2x0 OK", "HTTP/1.1 2000", "HTTP/1.1  200", "SSH-2.0", "", "{}"}) {
        INFO(line);
        ReplyParser parser;
        CHECK(parser.feed(std::string{line} + "\r\n\r\n{}") == State::kBroken);
    }
}

TEST_CASE("reply parser: a broken length or chunk breaks it", "[hook]") {
    for (const char* rest :
         {"Content-Length: x\r\n\r\n{}", "Content-Length: -2\r\n\r\n{}",
          "Content-Length:\r\n\r\n{}", "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
          "Content-Length: 99999999999\r\n\r\n{}", "Transfer-Encoding: gzip\r\n\r\n{}",
          "Transfer-Encoding: chunked\r\n\r\nx\r\n", "Transfer-Encoding: chunked\r\n\r\n\r\n",
          "Transfer-Encoding: chunked\r\n\r\n2\r\n{}{}\r\n", "no colon\r\n\r\n{}",
          ": nameless\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\nffffffffff\r\n"}) {
        INFO(rest);
        ReplyParser parser;
        CHECK(parser.feed(kHead + rest) == State::kBroken);
    }
}

TEST_CASE("reply parser: its memory is bounded, also under a hold of days", "[hook]") {
    const std::string much(1 << 20, 'x');
    ReplyParser head;
    head.feed(kHead + "X: ");
    head.feed(much);
    CHECK(head.state() == State::kBroken);
    ReplyParser body;
    body.feed(kHead + "\r\n");
    for (int i = 0; i < 6; ++i)
        body.feed(much);
    CHECK(body.state() == State::kBroken);
    ReplyParser held;
    held.feed(kHead + "Transfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 100'000; ++i)
        held.feed("1\r\n \r\n");
    CHECK(held.state() == State::kMore);
    CHECK(held.feed("2\r\n{}\r\n0\r\n\r\n") == State::kWhole);
    CHECK(held.body() == "{}");
}

TEST_CASE("reply parser: a daemon is known by its header", "[hook]") {
    for (const bool ours : {true, false}) {
        ReplyParser reply;
        const std::string name = ours ? "x-headway: 1\r\n" : "X-Headway-Goal: check\r\n";
        CHECK(reply.feed(kHead + name + "Content-Length: 2\r\n\r\n{}") == State::kWhole);
        CHECK(reply.of_daemon() == ours);
    }
}
