#include "config/address.hpp"

#include <catch2/catch.hpp>

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

TEST_CASE("address: what others can reach is refused with the reason", "[config]") {
    for (const char* text :
         {"0.0.0.0:7717", "192.168.1.5:7717", "[::]:7717", "example.org:80", ":7717", "127.1:80",
          "127.0.0.1.evil.example:80", "128.0.0.1:80", "127.0.0.256:80", "1270.0.0.1:80"}) {
        DYNAMIC_SECTION(text) {
            const auto parsed = parse_listen_address(text);
            REQUIRE_FALSE(parsed.has_value());
            CHECK_THAT(parsed.error().detail, Catch::Contains("no TLS yet"));
        }
    }
}

TEST_CASE("address: a broken port or missing bracket is named", "[config]") {
    CHECK_THAT(parse_listen_address("127.0.0.1").error().detail, Catch::Contains("has no port"));
    for (const char* text : {"127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1"}) {
        CHECK_THAT(parse_listen_address(text).error().detail, Catch::Contains("no valid port"));
    }
    CHECK_THAT(parse_listen_address("::1:7717").error().detail, Catch::Contains("brackets"));
}
