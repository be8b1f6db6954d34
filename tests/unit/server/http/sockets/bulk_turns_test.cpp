// SPDX-License-Identifier: Apache-2.0
#include "server/http/sockets/bulk_turns.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include <boost/asio/post.hpp>

using namespace headway::server;

TEST_CASE("bulk turns: pieces run in order, each once", "[server]") {
    net::io_context io;
    BulkTurns turns{io};
    std::vector<int> ran;
    for (int i = 0; i < 50; ++i)
        turns.add([&ran, i] { ran.push_back(i); });
    CHECK(ran.empty());
    io.run();
    REQUIRE(ran.size() == 50);
    CHECK(std::is_sorted(ran.begin(), ran.end()));
}

TEST_CASE("bulk turns: a later client waits for one turn, not for all", "[server]") {
    net::io_context io;
    BulkTurns turns{io};
    std::size_t ran = 0;
    for (int i = 0; i < 1000; ++i)
        turns.add([&ran] { ++ran; });
    std::size_t before = 0;
    net::post(io, [&] { before = ran; });
    io.run();
    CHECK(before == BulkTurns::kPerTurn);
    CHECK(ran == 1000);
}

TEST_CASE("bulk turns: a piece that is followed by another of the same client goes to the end",
          "[server]") {
    net::io_context io;
    BulkTurns turns{io};
    std::vector<char> ran;
    turns.add([&] {
        ran.push_back('a');
        turns.add([&ran] { ran.push_back('A'); });
    });
    turns.add([&ran] { ran.push_back('b'); });
    io.run();
    CHECK(ran == std::vector{'a', 'b', 'A'});
}
