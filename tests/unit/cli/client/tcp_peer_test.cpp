// SPDX-License-Identifier: Apache-2.0
#include "cli/client/tcp_peer.hpp"

#include <catch2/catch.hpp>

using namespace headway::cli;

namespace {

// 127.0.0.1:7717 and a client at 127.0.0.1:40000, as the kernel prints them.
constexpr const char* kOwner = "0: 0100007F:1E25 00000000:0000 0A 0:0 00:0 0 1000 0 11 1";
constexpr const char* kStranger = "1: 0100007F:1E25 00000000:0000 0A 0:0 00:0 0 65534 0 12 1";
constexpr const char* kTaken = "2: 0100007F:1E25 0100007F:9C40 01 0:0 00:0 0 65534 0 13 1";
constexpr const char* kTakenByOwner = "3: 0100007F:1E25 0100007F:9C40 01 0:0 00:0 0 1000 0 14 1";
constexpr const char* kWaiting = "4: 0100007F:1E25 0100007F:9C40 01 0:0 00:0 0 0 0 0 1";

std::string stranger(const std::vector<const char*>& lines, uid_t owner = 1000) {
    std::vector<TcpSocket> sockets;
    for (const char* line : lines) {
        const auto socket = parse_tcp_line(line);
        REQUIRE(socket);
        sockets.push_back(*socket);
    }
    return stranger_at(*tcp_end("127.0.0.1", 7717), *tcp_end("127.0.0.1", 40'000), owner, sockets);
}

}  // namespace

TEST_CASE("tcp peer: a connection that was taken belongs to who has it", "[cli]") {
    CHECK(stranger({kOwner, kTakenByOwner}).empty());
    // A listener that opened after the other one had taken it and closed.
    CHECK(stranger({kOwner, kTaken}).find("65534") != std::string::npos);
    CHECK(stranger({kStranger, kTakenByOwner}).empty());
}

TEST_CASE("tcp peer: a connection that waits to be taken belongs to who listens", "[cli]") {
    CHECK(stranger({kOwner, kWaiting}).empty());
    CHECK(stranger({kStranger, kWaiting}).find("65534") != std::string::npos);
    CHECK(stranger({kOwner, kStranger, kWaiting}).find("65534") != std::string::npos);
    // User 0 in the line of a connection that waits says nothing.
    CHECK(stranger({kStranger, kWaiting}, 0).find("65534") != std::string::npos);
}

TEST_CASE("tcp peer: without a line of the connection no owner is known", "[cli]") {
    CHECK_FALSE(stranger({}).empty());
    CHECK_FALSE(stranger({kOwner}).empty());
    CHECK_FALSE(stranger({kWaiting}).empty());
}

TEST_CASE("tcp peer: listeners of all addresses and of IPv6 count", "[cli]") {
    const auto six = [](const char* address) {
        return "0: " + std::string{address} +
               ":1E25 00000000000000000000000000000000:0000 0A 0:0 00:0 0 65534 0 1 1";
    };
    const std::string any = six("00000000000000000000000000000000");
    const std::string other = six("00000000000000000000000001000000");  // ::1
    CHECK(stranger({any.c_str(), kWaiting}).find("65534") != std::string::npos);
    CHECK(stranger({kOwner, other.c_str(), kWaiting}).empty());
    const auto loopback = parse_tcp_line(other);
    REQUIRE(loopback);
    CHECK(loopback->local == *tcp_end("::1", 7717));
    CHECK(stranger({"0: 00000000:1E25 00000000:0000 0A 0:0 00:0 0 7 0 1 1", kWaiting}) != "");
}

TEST_CASE("tcp peer: lines and addresses of other forms are none", "[cli]") {
    for (const char* line :
         {"", "  sl  local_address rem_address   st", "0: 0100007F:1E25 00000000:0000 0A",
          "0: 0100007:1E25 00000000:0000 0A 0:0 00:0 0 1000 0 11 1",
          "0: 0100007F:1E25 00000000:0000 0A 0:0 00:0 0 ann 0 11 1"})
        CHECK_FALSE(parse_tcp_line(line));
    CHECK_FALSE(tcp_end("localhost", 7717));
    CHECK_FALSE(tcp_end("127.0.0.1", 0));
    CHECK_FALSE(tcp_end("127.0.0.1", 65'536));
}
