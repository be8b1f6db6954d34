// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/transfer/address_policy.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <catch2/catch.hpp>
#include <cstring>

using namespace headway::server;

namespace {

/// As a resolver gives it.
sockaddr_storage address(const std::string& text) {
    sockaddr_storage storage{};
    if (text.find(':') == std::string::npos) {
        sockaddr_in in{};
        in.sin_family = AF_INET;
        REQUIRE(::inet_pton(AF_INET, text.c_str(), &in.sin_addr) == 1);
        std::memcpy(&storage, &in, sizeof in);
    } else {
        sockaddr_in6 in{};
        in.sin6_family = AF_INET6;
        REQUIRE(::inet_pton(AF_INET6, text.c_str(), &in.sin6_addr) == 1);
        std::memcpy(&storage, &in, sizeof in);
    }
    return storage;
}

std::string kind(const std::string& text) {
    const sockaddr_storage storage = address(text);
    return std::string{private_kind(reinterpret_cast<const sockaddr&>(storage))};
}

}  // namespace

TEST_CASE("address policy: non-public addresses have a kind", "[server]") {
    const std::pair<std::string, std::string> cases[] = {
        {"0.0.0.0", "unspecified"},
        {"0.1.2.3", "unspecified"},
        {"10.0.0.1", "private"},
        {"10.255.255.255", "private"},
        {"100.64.0.1", "carrier-grade"},
        {"100.100.100.200", "carrier-grade"},
        {"100.127.255.255", "carrier-grade"},
        {"127.0.0.1", "loopback"},
        {"127.255.255.254", "loopback"},
        {"168.63.129.16", "metadata"},
        {"169.254.169.254", "link-local"},
        {"172.16.0.1", "private"},
        {"172.31.255.255", "private"},
        {"192.0.0.192", "reserved"},
        {"192.0.2.1", "documentation"},
        {"192.88.99.1", "reserved"},
        {"192.168.1.1", "private"},
        {"198.18.0.1", "benchmarking"},
        {"198.19.255.255", "benchmarking"},
        {"198.51.100.7", "documentation"},
        {"203.0.113.7", "documentation"},
        {"224.0.0.1", "multicast"},
        {"239.255.255.255", "multicast"},
        {"240.0.0.1", "reserved"},
        {"255.255.255.255", "reserved"},
        {"::", "unspecified"},
        {"::1", "loopback"},
        {"::2", "reserved"},
        {"::7f00:1", "reserved"},
        {"::ffff:127.0.0.1", "loopback"},
        {"::ffff:10.1.2.3", "private"},
        {"::ffff:169.254.169.254", "link-local"},
        {"64:ff9b::7f00:1", "loopback"},
        {"64:ff9b::a9fe:a9fe", "link-local"},
        {"64:ff9b:1::808:808", "reserved"},
        {"100::1", "reserved"},
        {"2001::1", "reserved"},
        {"2001:db8::1", "documentation"},
        {"2002:7f00:1::1", "loopback"},
        {"2002:c0a8:101::1", "private"},
        {"3fff::1", "documentation"},
        {"4000::1", "reserved"},
        {"fc00::1", "private"},
        {"fd00:ec2::254", "private"},
        {"fe80::1", "link-local"},
        {"febf::1", "link-local"},
        {"fec0::1", "reserved"},
        {"ff02::1", "multicast"},
    };
    for (const auto& [text, expected] : cases) {
        INFO(text);
        CHECK(kind(text) == expected);
    }
}

TEST_CASE("address policy: the neighbours of those blocks are public", "[server]") {
    for (const char* text : {"1.1.1.1",
                             "8.8.8.8",
                             "9.255.255.255",
                             "11.0.0.0",
                             "100.63.255.255",
                             "100.128.0.0",
                             "126.255.255.255",
                             "128.0.0.1",
                             "168.63.129.15",
                             "168.63.129.17",
                             "169.253.255.255",
                             "169.255.0.0",
                             "172.15.255.255",
                             "172.32.0.0",
                             "192.0.1.0",
                             "192.167.255.255",
                             "192.169.0.0",
                             "198.17.255.255",
                             "198.20.0.0",
                             "203.0.112.255",
                             "223.255.255.255",
                             "::ffff:8.8.8.8",
                             "64:ff9b::808:808",
                             "2002:808:808::1",
                             "2001:4860:4860::8888",
                             "2001:200::1",
                             "2606:4700::1111",
                             "2a00:1450::1",
                             "2003::1"}) {
        INFO(text);
        CHECK(kind(text).empty());
    }
}

TEST_CASE("address policy: other families than IPv4 and IPv6 are not public", "[server]") {
    sockaddr other{};
    other.sa_family = AF_UNIX;
    CHECK(private_kind(other) == "local");
    CHECK(print_address(other) == "?");
}

TEST_CASE("address policy: an address is printed in numbers", "[server]") {
    for (const char* text : {"127.0.0.1", "fe80::1"}) {
        const sockaddr_storage storage = address(text);
        CHECK(print_address(reinterpret_cast<const sockaddr&>(storage)) == text);
    }
}
