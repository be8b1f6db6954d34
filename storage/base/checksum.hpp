// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

// CRC-32C (Castagnoli). It detects every single flipped bit and every burst of up to 32 bits. It
// protects against damage, not against tampering. Pure.

namespace headway::storage {

/// The checksum of `bytes`. `before` is the checksum of the bytes before them.
std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0) noexcept;

/// checksum() for processors without a CRC-32C instruction.
std::uint32_t checksum_by_tables(std::string_view bytes, std::uint32_t before = 0) noexcept;

/// Checksum of a number as 8 bytes, little-endian.
std::uint32_t checksum_number(std::int64_t number, std::uint32_t before = 0) noexcept;

/// The checksum that a journal row must have in its column `crc`, over all its other columns.
std::int64_t row_checksum(std::int64_t cursor, std::int64_t session, std::int64_t n,
                          std::int64_t prev, std::string_view events) noexcept;

/// The column `crc` of a session's row. It consists of two checksums, so that a reader of a damaged
/// snapshot knows whether the row's pointer into the journal is valid.
struct SessionChecksum {
    std::uint32_t place = 0;
    std::uint32_t snapshot = 0;

    static SessionChecksum from_column(std::int64_t crc) noexcept;
    std::int64_t column() const noexcept;
};

/// The checksum over the row's columns except the snapshot; `ended_at` is 0 for an open session.
std::uint32_t place_checksum(std::int64_t key, std::string_view name, std::int64_t n,
                             std::int64_t tail, std::int64_t ended_at) noexcept;
std::uint32_t snapshot_checksum(std::int64_t key, std::int64_t n, std::string_view bytes) noexcept;

}  // namespace headway::storage
