// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/transfer/address_policy.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace headway::server {
namespace {

struct Block4 {
    std::uint32_t network;
    int bits;
    std::string_view kind;
};

constexpr std::uint32_t ipv4(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    return a << 24U | b << 16U | c << 8U | d;
}

// 168.63.129.16 is the host of virtual machines on Azure. The metadata services of other clouds are
// in these blocks.
constexpr Block4 kBlocks4[] = {
    {ipv4(0, 0, 0, 0), 8, "unspecified"},         {ipv4(10, 0, 0, 0), 8, "private"},
    {ipv4(100, 64, 0, 0), 10, "carrier-grade"},   {ipv4(127, 0, 0, 0), 8, "loopback"},
    {ipv4(168, 63, 129, 16), 32, "metadata"},     {ipv4(169, 254, 0, 0), 16, "link-local"},
    {ipv4(172, 16, 0, 0), 12, "private"},         {ipv4(192, 0, 0, 0), 24, "reserved"},
    {ipv4(192, 0, 2, 0), 24, "documentation"},    {ipv4(192, 88, 99, 0), 24, "reserved"},
    {ipv4(192, 168, 0, 0), 16, "private"},        {ipv4(198, 18, 0, 0), 15, "benchmarking"},
    {ipv4(198, 51, 100, 0), 24, "documentation"}, {ipv4(203, 0, 113, 0), 24, "documentation"},
    {ipv4(224, 0, 0, 0), 4, "multicast"},         {ipv4(240, 0, 0, 0), 4, "reserved"}};

std::string_view kind4(std::uint32_t address) noexcept {
    for (const Block4& block : kBlocks4) {
        if ((address ^ block.network) >> (32 - block.bits) == 0) return block.kind;
    }
    return {};
}

using Bytes6 = std::array<std::uint8_t, 16>;

struct Block6 {
    Bytes6 network;
    int bits;
    std::string_view kind;
};

// Blocks inside of global unicast, 2000::/3; every address outside of it is private.
constexpr Block6 kBlocks6[] = {
    {{0x20, 0x01, 0x00}, 23, "reserved"},  // Teredo, benchmarking, ORCHID
    {{0x20, 0x01, 0x0d, 0xb8}, 32, "documentation"},
    {{0x3f, 0xff}, 20, "documentation"}};

bool within(const Bytes6& address, const Bytes6& network, int bits) noexcept {
    for (int i = 0; i < bits; i += 8) {
        const auto at = static_cast<std::size_t>(i / 8);
        const int shown = bits - i < 8 ? bits - i : 8;
        if ((address[at] ^ network[at]) >> (8 - shown) != 0) return false;
    }
    return true;
}

std::uint32_t ipv4_at(const Bytes6& address, std::size_t at) noexcept {
    return ipv4(address[at], address[at + 1], address[at + 2], address[at + 3]);
}

/// The kind of an address outside of global unicast.
std::string_view kind_of_the_rest(const Bytes6& address) noexcept {
    if (within(address, {}, 127)) return address[15] == 1 ? "loopback" : "unspecified";
    if (within(address, {0xfc}, 7)) return "private";
    if (within(address, {0xfe, 0x80}, 10)) return "link-local";
    if (within(address, {0xff}, 8)) return "multicast";
    return "reserved";
}

std::string_view kind6(const Bytes6& address) noexcept {
    constexpr Bytes6 kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    constexpr Bytes6 kNat64{0x00, 0x64, 0xff, 0x9b};
    constexpr Bytes6 k6to4{0x20, 0x02};
    if (within(address, kMapped, 96) || within(address, kNat64, 96)) {
        return kind4(ipv4_at(address, 12));
    }
    if (within(address, k6to4, 16)) return kind4(ipv4_at(address, 2));
    if (!within(address, {0x20}, 3)) return kind_of_the_rest(address);
    for (const Block6& block : kBlocks6) {
        if (within(address, block.network, block.bits)) return block.kind;
    }
    return {};
}

}  // namespace

std::string_view private_kind(const sockaddr& address) noexcept {
    if (address.sa_family == AF_INET) {
        sockaddr_in in{};
        std::memcpy(&in, &address, sizeof in);
        return kind4(ntohl(in.sin_addr.s_addr));
    }
    if (address.sa_family != AF_INET6) return "local";
    sockaddr_in6 in{};
    std::memcpy(&in, &address, sizeof in);
    Bytes6 bytes{};
    std::memcpy(bytes.data(), &in.sin6_addr, bytes.size());
    return kind6(bytes);
}

std::string print_address(const sockaddr& address) {
    char text[INET6_ADDRSTRLEN] = "?";
    if (address.sa_family == AF_INET) {
        sockaddr_in in{};
        std::memcpy(&in, &address, sizeof in);
        ::inet_ntop(AF_INET, &in.sin_addr, text, sizeof text);
    } else if (address.sa_family == AF_INET6) {
        sockaddr_in6 in{};
        std::memcpy(&in, &address, sizeof in);
        ::inet_ntop(AF_INET6, &in.sin6_addr, text, sizeof text);
    }
    return text;
}

}  // namespace headway::server
