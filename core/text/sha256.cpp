// SPDX-License-Identifier: Apache-2.0
#include "core/text/sha256.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/assert.hpp"

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

void compress_plain(State& state, const unsigned char* block) {
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

#if defined(__x86_64__)

/// Four rounds: `words` has the message's words for them with the constants added.
__attribute__((target("sha,sse4.1"))) inline void four_rounds(__m128i& cdgh, __m128i& abef,
                                                              __m128i words) {
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, words);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(words, 0x0E));
}

/// The same by the instructions that most processors have: five times as fast.
__attribute__((target("sha,sse4.1"))) void compress_by_instructions(State& state,
                                                                    const unsigned char* block) {
    const auto load = [](const void* from) {
        return _mm_loadu_si128(static_cast<const __m128i*>(from));
    };
    // The instructions want the state as ABEF and CDGH.
    const __m128i badc = _mm_shuffle_epi32(load(state.data()), 0xB1);
    const __m128i hgfe = _mm_shuffle_epi32(load(state.data() + 4), 0x1B);
    const __m128i abef_before = _mm_alignr_epi8(badc, hgfe, 8);
    const __m128i cdgh_before = _mm_blend_epi16(hgfe, badc, 0xF0);
    __m128i abef = abef_before;
    __m128i cdgh = cdgh_before;
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
    __m128i w[4];  // std::array warns: a template argument has no attributes
    for (std::size_t i = 0; i < 4; ++i)
        w[i] = _mm_shuffle_epi8(load(block + 16 * i), big_endian);
    for (std::size_t i = 0; i < 16; ++i) {
        four_rounds(cdgh, abef, _mm_add_epi32(w[i % 4], load(kRounds.data() + 4 * i)));
        // The words of four groups later take the place of these.
        const __m128i& last = w[(i + 3) % 4];
        const __m128i seven_back = _mm_alignr_epi8(last, w[(i + 2) % 4], 4);
        w[i % 4] = _mm_sha256msg2_epu32(
            _mm_add_epi32(_mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]), seven_back), last);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
    const __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
    const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    const auto store = [](void* to, __m128i value) {
        _mm_storeu_si128(static_cast<__m128i*>(to), value);
    };
    store(state.data(), _mm_blend_epi16(feba, dchg, 0xF0));
    store(state.data() + 4, _mm_alignr_epi8(dchg, feba, 8));
}

bool has_instructions() {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_SSE4_1) == 0) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}

#endif

using Compress = void (*)(State&, const unsigned char*);

Compress fastest() {
#if defined(__x86_64__)
    if (has_instructions()) return compress_by_instructions;
#endif
    return compress_plain;
}

/// A message that comes in pieces.
class Sha256 {
public:
    explicit Sha256(bool plain) : compress_(plain ? compress_plain : chosen()) {}

    void add(std::string_view bytes) {
        length_ += bytes.size();
        while (!bytes.empty()) {
            if (held_ == 0 && bytes.size() >= kBlockBytes) {
                compress_(state_, reinterpret_cast<const unsigned char*>(bytes.data()));
                bytes.remove_prefix(kBlockBytes);
                continue;
            }
            const std::size_t taken = std::min(bytes.size(), kBlockBytes - held_);
            std::copy_n(bytes.begin(), taken, block_.begin() + static_cast<std::ptrdiff_t>(held_));
            bytes.remove_prefix(taken);
            held_ += taken;
            if (held_ == kBlockBytes) flush();
        }
    }

    /// What is left, a one bit, zeros, and the length in bits: one block or two.
    Sha256Digest digest() {
        HEADWAY_ASSERT(held_ < kBlockBytes);
        block_[held_++] = 0x80;
        if (held_ + kLengthBytes > kBlockBytes) pad_to(kBlockBytes);
        pad_to(kBlockBytes - kLengthBytes);
        const std::uint64_t bits = length_ * 8;
        for (std::size_t i = 0; i < kLengthBytes; ++i)
            block_[kBlockBytes - 1 - i] = static_cast<unsigned char>(bits >> (8 * i));
        held_ = kBlockBytes;
        flush();
        Sha256Digest bytes{};
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<unsigned char>(state_[i / 4] >> (24 - 8 * (i % 4)));
        return bytes;
    }

private:
    static Compress chosen() {
        static const Compress fastest_here = fastest();
        return fastest_here;
    }
    void flush() {
        HEADWAY_ASSERT(held_ == kBlockBytes);
        compress_(state_, block_.data());
        held_ = 0;
    }
    void pad_to(std::size_t size) {
        HEADWAY_ASSERT(held_ <= size && size <= kBlockBytes);
        std::fill(block_.begin() + static_cast<std::ptrdiff_t>(held_),
                  block_.begin() + static_cast<std::ptrdiff_t>(size), std::uint8_t{0});
        held_ = size;
        if (held_ == kBlockBytes) flush();
    }

    Compress compress_;
    State state_ = kInitial;
    std::array<unsigned char, kBlockBytes> block_{};
    std::size_t held_ = 0;  ///< bytes in the block
    std::uint64_t length_ = 0;
};

std::string_view text_of(const Sha256Digest& digest) {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

Sha256Digest digest_with(std::string_view bytes, bool plain) {
    Sha256 hash{plain};
    hash.add(bytes);
    return hash.digest();
}

}  // namespace

Sha256Digest sha256(std::string_view bytes) {
    return digest_with(bytes, false);
}

Sha256Digest sha256_plain(std::string_view bytes) {
    return digest_with(bytes, true);
}

Sha256Digest hmac_sha256(std::string_view key, std::string_view text) {
    std::array<char, kBlockBytes> pad{};
    const Sha256Digest short_key = sha256(key);
    const std::string_view used = key.size() > kBlockBytes ? text_of(short_key) : key;
    std::copy(used.begin(), used.end(), pad.begin());
    const auto flip = [&pad](unsigned char by) {
        for (char& c : pad)
            c = static_cast<char>(static_cast<unsigned char>(c) ^ by);
    };
    flip(0x36);
    Sha256 inner{false};
    inner.add({pad.data(), pad.size()});
    inner.add(text);
    flip(0x36 ^ 0x5c);
    Sha256 outer{false};
    outer.add({pad.data(), pad.size()});
    outer.add(text_of(inner.digest()));
    return outer.digest();
}

std::string sha256_hex(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    text.reserve(64);
    for (const unsigned char byte : sha256(bytes)) {
        text.push_back(kDigits[byte >> 4U]);
        text.push_back(kDigits[byte & 15U]);
    }
    HEADWAY_ASSERT(text.size() == 64);
    return text;
}

}  // namespace headway::core
