// SPDX-License-Identifier: Apache-2.0
#include "server/hub/streams/caller_shares.hpp"

#include <catch2/catch.hpp>

#include "server/http/sockets/peer.hpp"

using namespace headway::server;
using Place = CallerShares::Place;

TEST_CASE("caller shares: the caller with the most gives its newest place to one with fewer",
          "[server]") {
    CallerShares shares;
    CHECK_FALSE(shares.given_up_to("a"));
    CHECK_FALSE(shares.of_largest());
    for (std::uint64_t slot = 0; slot < 3; ++slot)
        shares.add("greedy", {1, slot});
    shares.add("a", {2, 0});
    CHECK(shares.largest() == 3);
    CHECK(shares.given_up_to("a") == Place{1, 2});
    CHECK(shares.given_up_to("another") == Place{1, 2});
    CHECK_FALSE(shares.given_up_to("greedy"));
    shares.remove("greedy", {1, 2});
    shares.remove("greedy", {1, 2});
    CHECK_FALSE(shares.given_up_to("a"));  // it would have as many then
    CHECK(shares.weight() == 3);
}

TEST_CASE("caller shares: a place counts by its weight", "[server]") {
    CallerShares shares;
    for (std::uint64_t slot = 0; slot < 5; ++slot)
        shares.add("many", {1, slot});
    shares.add("heavy", {2, 0}, 100);
    CHECK(shares.weight() == 105);
    CHECK(shares.given_up_to("many") == Place{2, 0});
}

TEST_CASE("caller shares: callers without a token are told apart by user, or by address",
          "[server]") {
    const auto at = [](const char* address) {
        return origin_of(peer_at({boost::asio::ip::make_address(address), 1}));
    };
    CHECK(at("127.0.0.1") == at("127.9.9.9"));
    CHECK(at("127.0.0.1") == at("::1"));
    CHECK(at("192.0.2.1") != at("192.0.2.2"));
    CHECK(at("2001:db8::1") == at("2001:db8::ffff:2"));
    CHECK(at("2001:db8::1") != at("2001:db8:0:1::1"));
    Peer ann;
    ann.reports = true;
    ann.uid = 1000;
    CHECK(origin_of(ann) == "uid 1000");
}
