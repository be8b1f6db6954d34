// SPDX-License-Identifier: Apache-2.0
#include "server/access/auth_failures.hpp"

#include <boost/asio/ip/address.hpp>
#include <catch2/catch.hpp>

#include "core/base/limits.hpp"

using namespace headway::server;
using namespace headway::core;

namespace {

Peer from(const std::string& address) {
    return peer_at({net::ip::make_address(address), 1});
}

Timestamp login_time(std::int64_t milliseconds) {
    return Timestamp{Millis{milliseconds}};
}

/// The failures that are free.
void use_up(AuthFailures& failures, const Peer& peer, Timestamp now) {
    for (std::uint32_t i = 0; i < limits::kAuthFailuresFree; ++i)
        REQUIRE(failures.note(peer, now).pause.count() == 0);
}

}  // namespace

TEST_CASE("auth failures: the first are free, then each pause is twice as long", "[server]") {
    AuthFailures failures;
    const Peer peer = from("192.0.2.1");
    Timestamp now = login_time(0);
    use_up(failures, peer, now);
    for (const std::int64_t pause : {1'000, 2'000, 4'000, 8'000, 16'000, 32'000, 60'000, 60'000}) {
        const auto begins = failures.note(peer, now);
        CHECK(begins.pause.count() == 0);  // gets the reason; the next ones wait
        CHECK(begins.first == (pause == 1'000));
        CHECK(failures.note(peer, now + Millis{1}).pause.count() == pause - 1);
        CHECK(failures.note(peer, now + Millis{pause - 1}).pause.count() == 1);
        now += Millis{pause};
    }
}

TEST_CASE("auth failures: within a pause they do not make it longer", "[server]") {
    AuthFailures failures;
    const Peer peer = from("192.0.2.1");
    use_up(failures, peer, login_time(0));
    failures.note(peer, login_time(0));
    for (int i = 0; i < 1000; ++i)
        CHECK(failures.note(peer, login_time(i)).pause.count() == 1'000 - i);
    CHECK(failures.note(peer, login_time(1'000)).pause.count() == 0);
}

TEST_CASE("auth failures: an address that stops failing is forgotten", "[server]") {
    AuthFailures failures;
    const Peer peer = from("192.0.2.1");
    use_up(failures, peer, login_time(0));
    const Timestamp later = login_time(0) + limits::kAuthForget;
    use_up(failures, peer, later);
    CHECK(failures.note(peer, later).first);
}

TEST_CASE("auth failures: addresses are told apart, those of one IPv6 network are not",
          "[server]") {
    AuthFailures failures;
    use_up(failures, from("192.0.2.1"), login_time(0));
    CHECK_FALSE(failures.note(from("192.0.2.2"), login_time(0)).first);
    CHECK(failures.note(from("192.0.2.1"), login_time(0)).first);
    for (std::uint32_t i = 0; i < limits::kAuthFailuresFree; ++i)
        failures.note(from("2001:db8::" + std::to_string(i)), login_time(0));
    CHECK(failures.note(from("2001:db8::ffff"), login_time(0)).first);
    CHECK_FALSE(failures.note(from("2001:db8:0:1::1"), login_time(0)).first);
    CHECK(failures.size() == 4);
}

TEST_CASE("auth failures: a bounded number of addresses is kept, the newest", "[server]") {
    AuthFailures failures;
    const Peer oldest = from("198.51.100.1");
    use_up(failures, oldest, login_time(0));
    for (std::size_t i = 0; i < limits::kAuthAddressesMax - 1; ++i) {
        const auto number = static_cast<std::uint32_t>(0x0A000000 + i);
        failures.note(peer_at({net::ip::address_v4{number}, 1}), login_time(1));
    }
    CHECK(failures.size() == limits::kAuthAddressesMax);
    CHECK(failures.note(oldest, login_time(2)).first);  // still known
    failures.note(from("203.0.113.1"), login_time(3));
    CHECK(failures.size() == limits::kAuthAddressesMax);
    failures.note(from("10.0.0.0"), login_time(3));
    CHECK(failures.size() == limits::kAuthAddressesMax);
}

TEST_CASE("peer: addresses are shown as people write them", "[server]") {
    CHECK(shown(from("192.0.2.1")) == "192.0.2.1");
    CHECK(shown(from("::ffff:192.0.2.1")) == "192.0.2.1");
    CHECK(shown(from("2001:db8::1")) == "2001:db8::1");
    Peer local;
    local.local = true;
    CHECK(shown(local) == "the Unix socket");
    local.uid = 0;
    CHECK(shown(local) == "the Unix socket (uid 0)");
    Peer reporter;
    reporter.reports = true;
    reporter.uid = 1000;
    CHECK(shown(reporter) == "the report socket (uid 1000)");
}
