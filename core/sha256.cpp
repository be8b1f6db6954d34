// SPDX-License-Identifier: Apache-2.0
#include "core/sha256.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/assert.hpp"

namespace headway::core {
namespace {

using State = std::array<std::uint32_t, 8>;

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kLengthBytes = 8;

static_assert(kBlockBytes == 16 * sizeof(std::uint32_t), "a block is 16 words");
static_assert(kLengthBytes == sizeof(std::uint64_t));

constexpr State kInitial{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

constexpr std::array<std::uint32_t, 64> kRounds{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::uint32_t turn(std::uint32_t word, unsigned by) {
    return (word >> by) | (word << (32U - by));
}

std::uint32_t word_at(const unsigned char* bytes) {
    return (std::uint32_t{bytes[0]} << 24U) | (std::uint32_t{bytes[1]} << 16U) |
           (std::uint32_t{bytes[2]} << 8U) | std::uint32_t{bytes[3]};
}

void compress(State& state, const unsigned char* block) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i)
        w[i] = word_at(block + 4 * i);
    for (std::size_t i = 16; i < w.size(); ++i) {
        const std::uint32_t s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >> 3U);
        const std::uint32_t s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >> 10U);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < w.size(); ++i) {
        const std::uint32_t s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
        const std::uint32_t one = h + s1 + ((e & f) ^ (~e & g)) + kRounds[i] + w[i];
        const std::uint32_t s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
        const std::uint32_t two = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + one;
        d = c;
        c = b;
        b = a;
        a = one + two;
    }
    const State mixed{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i)
        state[i] += mixed[i];
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
    State state = kInitial;
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    std::size_t left = bytes.size();
    for (; left >= kBlockBytes; left -= kBlockBytes, data += kBlockBytes)
        compress(state, data);
    // What is left, a one bit, zeros, and the length in bits: one block or two.
    std::array<unsigned char, 2 * kBlockBytes> end{};
    HEADWAY_ASSERT(left < kBlockBytes);
    std::copy(data, data + left, end.begin());
    end[left] = 0x80;
    const std::size_t size = left + 1 + kLengthBytes > kBlockBytes ? 2 * kBlockBytes : kBlockBytes;
    HEADWAY_ASSERT(left + 1 + kLengthBytes <= size && size <= end.size());
    const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
    for (std::size_t i = 0; i < kLengthBytes; ++i)
        end[size - 1 - i] = static_cast<unsigned char>(bits >> (8 * i));
    for (std::size_t at = 0; at < size; at += kBlockBytes)
        compress(state, end.data() + at);
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    text.reserve(64);
    for (const std::uint32_t word : state) {
        for (unsigned shift = 32; shift != 0; shift -= 4)
            text.push_back(kDigits[(word >> (shift - 4)) & 15U]);
    }
    HEADWAY_ASSERT(text.size() == 64);
    return text;
}

}  // namespace headway::core
