// SPDX-License-Identifier: Apache-2.0
#include "config/settings/address.hpp"

#include <catch2/catch.hpp>

#include "config/settings/settings.hpp"

using headway::config::check_listener;
using headway::config::parse_listen_address;

TEST_CASE("address: loopback in its forms is read", "[config]") {
    const auto plain = parse_listen_address("127.0.0.1:7717");
    REQUIRE(plain.has_value());
    CHECK(plain->host == "127.0.0.1");
    CHECK(plain->port == 7717);
    CHECK_FALSE(plain->ipv6);

    const auto name = parse_listen_address("localhost:0");
    REQUIRE(name.has_value());
    CHECK(name->host == "127.0.0.1");
    CHECK(name->port == 0);

    const auto six = parse_listen_address("[::1]:80");
    REQUIRE(six.has_value());
    CHECK(six->host == "::1");
    CHECK(six->ipv6);

    CHECK(parse_listen_address("127.8.9.10:1").has_value());
}

TEST_CASE("address: those of other networks are read and are not loopback", "[config]") {
    for (const char* text : {"0.0.0.0:7717", "192.168.1.5:7717", "128.0.0.1:80"}) {
        const auto parsed = parse_listen_address(text);
        REQUIRE(parsed.has_value());
        CHECK_FALSE(parsed->loopback);
        CHECK_FALSE(parsed->ipv6);
    }
    for (const char* text : {"[::]:7717", "[fe80::1]:80", "[::ffff:127.0.0.1]:80"}) {
        const auto parsed = parse_listen_address(text);
        REQUIRE(parsed.has_value());
        CHECK_FALSE(parsed->loopback);
        CHECK(parsed->ipv6);
    }
    CHECK(parse_listen_address("127.8.9.10:1")->loopback);
    CHECK(parse_listen_address("[::1]:1")->loopback);
}

TEST_CASE("address: names and half addresses are refused", "[config]") {
    for (const char* text :
         {"example.org:80", ":7717", "127.1:80", "127.0.0.1.evil.example:80", "127.0.0.256:80",
          "1270.0.0.1:80", "[127.0.0.1]:80", "[]:80", "[::1:80", "2130706433:80"}) {
        DYNAMIC_SECTION(text) {
            const auto parsed = parse_listen_address(text);
            REQUIRE_FALSE(parsed.has_value());
            CHECK_THAT(parsed.error().detail, Catch::Contains("no numeric address"));
        }
    }
}

TEST_CASE("address: what others can reach needs tokens, and TLS or a word", "[config]") {
    headway::config::ServerSettings server;
    headway::config::AccessSettings access;
    CHECK(check_listener(server, access).has_value());
    server.listen = "192.168.1.5:7717";
    CHECK_THAT(check_listener(server, access).error().detail,
               Catch::Contains("can be reached") && Catch::Contains("access.mode = \"token\""));
    access.mode = "token";
    CHECK_THAT(check_listener(server, access).error().detail, Catch::Contains("server.tls_cert"));
    server.insecure_bind = true;
    CHECK(check_listener(server, access).has_value());
    access.mode = "local";
    CHECK_FALSE(check_listener(server, access).has_value());
    access.mode = "token";
    server.insecure_bind = false;
    server.tls_cert = "cert.pem";
    CHECK_THAT(check_listener(server, access).error().detail, Catch::Contains("come together"));
    server.tls_key = "key.pem";
    CHECK(check_listener(server, access).has_value());
}

TEST_CASE("address: behind a proxy clients are identified by tokens only", "[config]") {
    headway::config::ServerSettings server;
    headway::config::AccessSettings access;
    server.behind_proxy = true;
    CHECK_THAT(
        check_listener(server, access).error().detail,
        Catch::Contains("server.behind_proxy") && Catch::Contains("set access.mode = \"token\""));
    access.mode = "token";
    CHECK(check_listener(server, access).has_value());
}

TEST_CASE("address: a broken port or missing bracket is named", "[config]") {
    CHECK_THAT(parse_listen_address("127.0.0.1").error().detail, Catch::Contains("has no port"));
    for (const char* text : {"127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1"}) {
        CHECK_THAT(parse_listen_address(text).error().detail, Catch::Contains("no valid port"));
    }
    CHECK_THAT(parse_listen_address("::1:7717").error().detail, Catch::Contains("brackets"));
}
