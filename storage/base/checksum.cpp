// SPDX-License-Identifier: Apache-2.0
#include "storage/base/checksum.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include "core/base/assert.hpp"

namespace headway::storage {
namespace {

static_assert(std::endian::native == std::endian::little, "eight bytes are read as one number");

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // Castagnoli, bits reversed

/// Eight bytes per step ("slicing by 8"): table k advances a byte past k more.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
    Tables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? kPolynomial : 0U);
        tables[0][byte] = crc;
    }
    for (std::size_t k = 1; k < 8; ++k) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = tables[k - 1][byte];
            tables[k][byte] = (before >> 8U) ^ tables[0][before & 0xFFU];
        }
    }
    return tables;
}

constexpr Tables kSlices = make_tables();
static_assert(kSlices[0][0] == 0 && kSlices[0][1] == 0xF26B8303, "as RFC 3720 has them");
static_assert(kSlices[0][0x80] == kPolynomial, "one bit alone");

}  // namespace

#if defined(__x86_64__)
namespace {

/// By the processor's own instruction, which has this polynomial.
[[gnu::target("sse4.2")]] std::uint32_t checksum_by_instruction(std::string_view bytes,
                                                                std::uint32_t before) noexcept {
    std::uint64_t crc = ~before;
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; at += 8, left -= 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, at, sizeof eight);
        crc = __builtin_ia32_crc32di(crc, eight);
    }
    auto narrow = static_cast<std::uint32_t>(crc);
    for (; left > 0; ++at, --left)
        narrow = __builtin_ia32_crc32qi(narrow, static_cast<unsigned char>(*at));
    return ~narrow;
}

bool has_instruction() noexcept {
    static const bool kHas = __builtin_cpu_supports("sse4.2") != 0;
    return kHas;
}

}  // namespace
#endif

std::uint32_t checksum_by_tables(std::string_view bytes, std::uint32_t before) noexcept {
    std::uint32_t crc = ~before;
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; at += 8, left -= 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, at, sizeof eight);
        eight ^= crc;
        crc = 0;
        for (std::size_t k = 0; k < 8; ++k)
            crc ^= kSlices[7 - k][(eight >> (8 * k)) & 0xFFU];
    }
    for (; left > 0; ++at, --left)
        crc = (crc >> 8U) ^ kSlices[0][(crc ^ static_cast<unsigned char>(*at)) & 0xFFU];
    return ~crc;
}

std::uint32_t checksum(std::string_view bytes, std::uint32_t before) noexcept {
#if defined(__x86_64__)
    if (has_instruction()) return checksum_by_instruction(bytes, before);
#endif
    return checksum_by_tables(bytes, before);
}

std::uint32_t checksum_number(std::int64_t number, std::uint32_t before) noexcept {
    std::array<char, sizeof number> bytes{};
    std::memcpy(bytes.data(), &number, sizeof number);
    return checksum({bytes.data(), bytes.size()}, before);
}

std::int64_t row_checksum(std::int64_t cursor, std::int64_t session, std::int64_t n,
                          std::int64_t prev, std::string_view events) noexcept {
    const std::array<std::int64_t, 4> place{cursor, session, n, prev};
    std::array<char, sizeof place> bytes{};
    std::memcpy(bytes.data(), place.data(), sizeof place);
    return checksum(events, checksum({bytes.data(), bytes.size()}));
}

SessionChecksum SessionChecksum::from_column(std::int64_t crc) noexcept {
    const auto both = static_cast<std::uint64_t>(crc);
    return {static_cast<std::uint32_t>(both >> 32U), static_cast<std::uint32_t>(both)};
}

std::int64_t SessionChecksum::column() const noexcept {
    const auto both = static_cast<std::int64_t>((std::uint64_t{place} << 32U) | snapshot);
    HEADWAY_ASSERT(from_column(both).place == place && from_column(both).snapshot == snapshot);
    return both;
}

std::uint32_t place_checksum(std::int64_t key, std::string_view name, std::int64_t n,
                             std::int64_t tail, std::int64_t ended_at) noexcept {
    const std::array<std::int64_t, 4> numbers{key, n, tail, ended_at};
    std::array<char, sizeof numbers> bytes{};
    std::memcpy(bytes.data(), numbers.data(), sizeof numbers);
    return checksum(name, checksum({bytes.data(), bytes.size()}));
}

std::uint32_t snapshot_checksum(std::int64_t key, std::int64_t n, std::string_view bytes) noexcept {
    return checksum(bytes, checksum_number(n, checksum_number(key)));
}

}  // namespace headway::storage
