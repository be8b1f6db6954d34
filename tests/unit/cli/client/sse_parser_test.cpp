// SPDX-License-Identifier: Apache-2.0
#include "cli/client/sse_parser.hpp"

#include <catch2/catch.hpp>

using headway::cli::SseEvent;
using headway::cli::SseParser;

TEST_CASE("sse: an event with all its fields", "[cli]") {
    SseParser parser;
    const auto events =
        parser.feed("retry: 2000\nid: 7\nevent: heartbeat\ndata: {\"a\":1}\n\n: keep-alive\n\n");
    REQUIRE(events.size() == 1);
    CHECK(events[0].type == "heartbeat");
    CHECK(events[0].data == "{\"a\":1}");
    CHECK(events[0].id == "7");
    CHECK(parser.last_id() == "7");
    CHECK(parser.retry() == std::chrono::milliseconds{2000});
}

TEST_CASE("sse: the same events whatever the line endings and the cuts", "[cli]") {
    const std::string plain =
        "\xEF\xBB\xBF"
        "id: 1\ndata: a\ndata: b\n\nevent: x\ndata:c\nid: 2\n\ndata: d\n\n";
    for (const std::string ending : {"\n", "\r", "\r\n"}) {
        std::string text;
        for (const char c : plain)
            text += c == '\n' ? ending : std::string(1, c);
        for (std::size_t cut = 1; cut <= text.size(); ++cut) {
            SseParser parser;
            std::vector<SseEvent> events;
            for (std::size_t at = 0; at < text.size(); at += cut) {
                for (SseEvent& event : parser.feed(text.substr(at, cut))) {
                    events.push_back(std::move(event));
                }
            }
            REQUIRE(events.size() == 3);
            CHECK(events[0].data == "a\nb");
            CHECK(events[0].type == "message");
            CHECK(events[1].type == "x");
            CHECK(events[1].data == "c");
            CHECK(events[1].id == "2");
            CHECK(events[2].data == "d");
            CHECK(events[2].id == "2");  // stays until another comes
        }
    }
}

TEST_CASE("sse: an event cut off by the connection is not delivered", "[cli]") {
    SseParser parser;
    CHECK(parser.feed("id: 1\ndata: a\n\nid: 2\ndata: b\n").size() == 1);
    CHECK(parser.last_id() == "1");
}

TEST_CASE("sse: a line or an event without end takes no more memory than the bound", "[cli]") {
    SseParser parser(20);
    const auto line = parser.feed("data: " + std::string(1'000, 'x') + "\n\n");
    REQUIRE(line.size() == 1);
    CHECK(line[0].data == std::string(14, 'x'));
    std::string many;
    for (int i = 0; i < 1'000; ++i)
        many += "data: x\n";
    const auto events = parser.feed(many + "\ndata: y\n\n");
    REQUIRE(events.size() == 2);
    CHECK(events[0].data.size() <= 20);
    CHECK(events[1].data == "y");
}

TEST_CASE("sse: fields that say nothing are ignored", "[cli]") {
    SseParser parser;
    const auto events =
        parser.feed(std::string("nonsense\nretry: soon\nid: a\0b\nevent: e\n\n", 39));
    CHECK(events.empty());
    CHECK(parser.last_id().empty());
    CHECK_FALSE(parser.retry().has_value());
    const auto next = parser.feed("data\n\ndata: x\n\n");
    REQUIRE(next.size() == 2);
    CHECK(next[0].data.empty());
    CHECK(next[1].type == "message");
}
