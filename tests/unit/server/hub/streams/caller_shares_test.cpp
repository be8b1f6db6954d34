// SPDX-License-Identifier: Apache-2.0
#include "server/hub/streams/caller_shares.hpp"

#include <catch2/catch.hpp>

#include "server/http/sockets/peer.hpp"

using namespace headway::server;
using Place = CallerShares::Place;

namespace {

using Places = std::vector<Place>;

constexpr CallerShares::Bound kFour{false, 4};
constexpr CallerShares::Bound kHundred{true, 100};

}  // namespace

TEST_CASE("caller shares: the caller with the most gives its newest place to one with fewer",
          "[server]") {
    CallerShares shares;
    CHECK(shares.largest() == 0);
    CHECK(shares.of_largest(1, 1).empty());
    shares.add("greedy", {9, 1});
    shares.add("greedy", {1, 7});  // the connection has taken an old slot of the server
    shares.add("a", {2, 0});
    CHECK(shares.room_for("another", 1, kFour).found);
    CHECK(shares.room_for("another", 1, kFour).given_up.empty());
    shares.add("greedy", {5, 1});
    CHECK(shares.largest() == 3);
    shares.remove("greedy", {5, 1});
    shares.remove("greedy", {5, 1});
    shares.add("greedy", {3, 1});
    CHECK(shares.of_largest(4, 2) == Places{{3, 1}, {1, 7}});
    CHECK(shares.room_for("a", 1, kFour).given_up == Places{{3, 1}});
    CHECK(shares.room_for("another", 1, kFour).given_up == Places{{3, 1}});
    CHECK_FALSE(shares.room_for("greedy", 1, kFour).found);
    shares.remove("greedy", {3, 1});
    shares.add("b", {4, 0});
    CHECK_FALSE(shares.room_for("a", 1, kFour).found);  // it would have more than the other then
}

TEST_CASE("caller shares: a place counts by its weight where that is bounded", "[server]") {
    CallerShares shares;
    for (std::uint64_t slot = 0; slot < 4; ++slot)
        shares.add("heavy", {2, slot}, 20);
    shares.add("many", {1, 0}, 20);
    CHECK(shares.weight() == 100);
    CHECK(shares.room_for("many", 20, kHundred).given_up == Places{{2, 3}});
    CHECK(shares.room_for("other", 40, kHundred).given_up == Places{{2, 3}, {2, 2}});
    const auto room = shares.room_for("other", 41, kHundred);  // more than the others would have
    CHECK_FALSE(room.found);
    CHECK(room.given_up.empty());
}

TEST_CASE("caller shares: many callers with equal shares keep no other out", "[server]") {
    CallerShares shares;
    for (std::uint64_t slot = 0; slot < 40; ++slot)
        shares.add("job " + std::to_string(slot / 2), {1, slot}, 3);
    CHECK(shares.room_for("other", 1, {false, 40}).given_up.size() == 1);
    CHECK(shares.room_for("other", 3, {true, 120}).given_up.size() == 1);
    CHECK_FALSE(shares.room_for("job 3", 1, {false, 40}).found);
}

TEST_CASE(
    "caller shares: a small share gives up nothing to others, and the operator nothing at all",
    "[server]") {
    CallerShares shares;
    for (std::uint64_t slot = 0; slot < 12; ++slot)
        shares.add("small " + std::to_string(slot / 3), {1, slot});
    shares.add("small 0", {2, 0});
    for (std::uint64_t slot = 0; slot < 20; ++slot)
        shares.add("", {3, slot});
    CHECK(shares.largest() == 4);
    CHECK(shares.room_for("other", 1, {false, 33}).given_up == Places{{2, 0}});
    CHECK(shares.of_largest(33, 1).empty());
    CHECK(shares.of_largest(32, 1) == Places{{2, 0}});
    for (std::uint64_t slot = 1; slot < 9; ++slot)
        shares.add("small 0", {2, slot});
    CHECK(shares.room_for("other", 1, {false, 41}).given_up == Places{{2, 8}});
    CHECK_FALSE(shares.room_for("", 1, {false, 41}).found);  // it has more already
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
